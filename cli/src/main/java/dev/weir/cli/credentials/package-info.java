/** Holds the commands that make key pairs and password hashes; look here when one of these cannot be written. */
@NullMarked
package dev.weir.cli.credentials;

import org.jspecify.annotations.NullMarked;
