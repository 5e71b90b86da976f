package dev.weir.storage.server.stream;

import java.net.InetAddress;
import java.nio.channels.SocketChannel;

/** Where connections go that begin with a request of HTTP: Rspamd's masters push to the port of the fuzzy protocol. */
@FunctionalInterface
public interface HttpHandoff {
    /**
     * Takes over a connection, or closes it. Must not block.
     *
     * @param channel a connection in blocking mode
     * @param begun what was read from it
     */
    void take(SocketChannel channel, InetAddress remote, byte[] begun);
}
