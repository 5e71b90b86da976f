package dev.weir.http.server;

import java.net.InetAddress;
import java.util.Optional;

/**
 * Who sent a request.
 *
 * @param address the address of the other end; empty for a socket in the file system
 */
public record Client(Optional<InetAddress> address) {
    /** Somebody behind a socket in the file system. */
    public static final Client UNIX = new Client(Optional.empty());

    /** A client with an address. */
    public static Client of(InetAddress address) {
        return new Client(Optional.of(address));
    }

    @Override
    public String toString() {
        return address.map(InetAddress::getHostAddress).orElse("a Unix socket");
    }
}
