/** Tests the commands that make secrets. */
@NullMarked
package dev.weir.cli.credentials;

import org.jspecify.annotations.NullMarked;
