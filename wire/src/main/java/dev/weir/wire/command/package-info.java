/** Holds commands and their extensions, as bytes and as values; look here when a request is read or written wrongly. */
@NullMarked
package dev.weir.wire.command;

import org.jspecify.annotations.NullMarked;
