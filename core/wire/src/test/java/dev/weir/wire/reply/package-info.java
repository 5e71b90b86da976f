/** Tests replies of every layout, and with random bytes. */
@NullMarked
package dev.weir.wire.reply;

import org.jspecify.annotations.NullMarked;
