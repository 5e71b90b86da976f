package dev.weir.http.server;

import java.net.InetAddress;
import java.util.Optional;

/**
 * The sender of a request.
 *
 * @param address the address of the other end; empty for a Unix-domain socket
 */
public record Client(Optional<InetAddress> address) {
    /** A client behind a Unix-domain socket. */
    public static final Client UNIX = new Client(Optional.empty());

    /** Returns a client with an address. */
    public static Client of(InetAddress address) {
        return new Client(Optional.of(address));
    }

    @Override
    public String toString() {
        return address.map(InetAddress::getHostAddress).map(text -> text.replaceFirst("%.*", ""))
                .orElse("a Unix-domain socket");
    }
}
