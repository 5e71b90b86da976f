/** The commands that create key pairs and password hashes. Look here when their output is wrong. */
@NullMarked
package dev.weir.cli.credentials;

import org.jspecify.annotations.NullMarked;
