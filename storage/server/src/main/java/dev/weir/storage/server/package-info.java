/**
 * Holds the network service of the storage: its configuration, start, reload and stop, and the sockets that it opens.
 * Look here when the server does not start or stop; look in {@code request} for the path of a packet. Updates go to the
 * update queue of the engine, which triggers their replies.
 */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
