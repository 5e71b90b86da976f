package dev.weir.http.settings;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.net.HostPort;
import dev.weir.net.ListenAddress;
import dev.weir.net.UnixPlace;

/**
 * A parser of addresses as in {@code bind_socket}: {@code host}, {@code host:port}, {@code *:port}, {@code [::1]:port},
 * or the path of a Unix-domain socket with {@code mode=}, {@code owner=} and {@code group=}.
 */
public final class BindText {
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
        if (UnixPlace.isPath(text)) {
            UnixPlace place = UnixPlace.parse(text);
            return List.of(place.isPlain() ? UnixDomainSocketAddress.of(place.path()) : place);
        }
        return List.copyOf(ListenAddress.parse(text, defaultPort));
    }

    /** Returns the first address at which other machines reach this one. */
    public static Optional<String> openToOthers(List<SocketAddress> binds) {
        return binds.stream().filter(InetSocketAddress.class::isInstance).map(InetSocketAddress.class::cast)
                .filter(bind -> !bind.getAddress().isLoopbackAddress()).findFirst()
                .map(bind -> new HostPort(bind.getAddress().getHostAddress(), bind.getPort()).toString());
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
