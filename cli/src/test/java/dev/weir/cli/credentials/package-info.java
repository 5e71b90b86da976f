/** Tests the commands that create keys and password hashes. */
@NullMarked
package dev.weir.cli.credentials;

import org.jspecify.annotations.NullMarked;
