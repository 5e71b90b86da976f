/**
 * The HTTP server: it listens, reads one request for each connection, passes it on, writes the reply, and closes. Every
 * resource that a client could exhaust has a bound: connections, connections of one address, time, bytes.
 */
@NullMarked
package dev.weir.http.server;

import org.jspecify.annotations.NullMarked;
