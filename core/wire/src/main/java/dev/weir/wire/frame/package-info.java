/** The frames of the stream transport. Look here when TCP splits or joins messages wrongly. */
@NullMarked
package dev.weir.wire.frame;

import org.jspecify.annotations.NullMarked;
