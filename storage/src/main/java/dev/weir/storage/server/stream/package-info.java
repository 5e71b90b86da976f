/**
 * Holds connections over TCP and Unix-domain sockets: accept, cut into frames, answer, close. Look here when a
 * connection is refused, stalls or is closed.
 */
@NullMarked
package dev.weir.storage.server.stream;

import org.jspecify.annotations.NullMarked;
