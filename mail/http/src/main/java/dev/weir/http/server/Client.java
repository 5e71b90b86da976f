package dev.weir.http.server;

import java.net.InetAddress;
import java.util.Optional;

/**
 * The sender of a request.
 *
 * @param address the address of the other end; empty for a Unix-domain socket
 * @param isCertified whether it has shown a certificate of an authority that the server knows
 */
public record Client(Optional<InetAddress> address, boolean isCertified) {
    /** A client behind a Unix-domain socket. */
    public static final Client UNIX = new Client(Optional.empty(), false);

    /** Returns a client with an address. */
    public static Client of(InetAddress address) {
        return new Client(Optional.of(address), false);
    }

    /** Returns this client with a certificate. */
    Client certified() {
        return new Client(address, true);
    }

    @Override
    public String toString() {
        return address.map(InetAddress::getHostAddress).map(text -> text.replaceFirst("%.*", ""))
                .orElse("a Unix-domain socket");
    }
}
