/** Commands and their extensions. Look here when a request is read or written wrongly. */
@NullMarked
package dev.weir.wire.command;

import org.jspecify.annotations.NullMarked;
