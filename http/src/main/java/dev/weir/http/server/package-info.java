/**
 * The HTTP server: listens, reads one request a connection, hands it on, writes the reply, closes. Everything that a client
 * could use up has a bound: connections, connections of one address, time, bytes.
 */
@NullMarked
package dev.weir.http.server;

import org.jspecify.annotations.NullMarked;
