/** Tests frames that arrive whole, in pieces and with random bytes. */
@NullMarked
package dev.weir.wire.frame;

import org.jspecify.annotations.NullMarked;
