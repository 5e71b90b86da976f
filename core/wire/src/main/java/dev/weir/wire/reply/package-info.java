/** Replies and their error codes. Look here when a reply is read or written wrongly. */
@NullMarked
package dev.weir.wire.reply;

import org.jspecify.annotations.NullMarked;
