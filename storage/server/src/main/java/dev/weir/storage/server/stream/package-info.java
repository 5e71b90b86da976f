/**
 * Serves connections over TCP and Unix-domain sockets: accepts them, splits them into frames, answers, and closes them.
 * Look here when a connection is refused, stalls, or is closed.
 */
@NullMarked
package dev.weir.storage.server.stream;

import org.jspecify.annotations.NullMarked;
