package dev.weir.http.settings;

import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.net.ListenAddress;

/**
 * A parser of addresses as in {@code bind_socket}: {@code host}, {@code host:port}, {@code *:port}, {@code [::1]:port},
 * or the path of a Unix-domain socket.
 */
public final class BindText {
    private static final int MAX_PATH = 100;

    private BindText() {}

    /**
     * Parses an address, with the port of HTTP as the default. A name may have several addresses.
     *
     * @throws IllegalArgumentException with a sentence that explains why the address cannot be used
     */
    public static List<SocketAddress> parse(String text) {
        return parse(text, HttpSettings.DEFAULT_PORT);
    }

    /** Parses an address, like {@link #parse(String)}, with another default port. */
    public static List<SocketAddress> parse(String text, int defaultPort) {
        if (text.startsWith("/") || text.startsWith("./")) {
            if (text.contains(" ") || text.length() > MAX_PATH) {
                throw new IllegalArgumentException("expected only the path of a socket, of at most "
                        + MAX_PATH + " characters; only its owner and group can use such a socket");
            }
            return List.of(UnixDomainSocketAddress.of(text));
        }
        return List.copyOf(ListenAddress.parse(text, defaultPort));
    }

    /** Returns the host name in such a text; empty for an address, a star or a path. */
    static Optional<String> host(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon >= 0 ? text.substring(0, colon) : text;
        return host.matches("[A-Za-z0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*") && !text.startsWith(".")
                ? Optional.of(host)
                : Optional.empty();
    }
}
