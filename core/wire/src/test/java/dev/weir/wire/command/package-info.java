/** Tests commands with what real clients sent, and with random bytes. */
@NullMarked
package dev.weir.wire.command;

import org.jspecify.annotations.NullMarked;
