/**
 * Holds the storage as a network service: its configuration, start, reload and stop, and the sockets that it opens.
 * Look here when the server does not start or stop; look in {@code request} for the path of a packet. An update goes to
 * the update queue of the engine, which answers it.
 */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
