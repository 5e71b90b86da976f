/** Holds replies and their error codes, as bytes and as values; look here when a reply is read or written wrongly. */
@NullMarked
package dev.weir.wire.reply;

import org.jspecify.annotations.NullMarked;
