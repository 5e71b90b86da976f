package dev.weir.http.settings;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.http.server.TlsAddress;
import dev.weir.net.HostPort;
import dev.weir.net.ListenAddress;
import dev.weir.net.UnixPlace;

/**
 * A parser of addresses as in {@code bind_socket}: {@code host}, {@code host:port}, {@code *:port}, {@code [::1]:port},
 * each with {@code ssl} after a blank for TLS, or the path of a Unix-domain socket with {@code mode=}, {@code owner=}
 * and {@code group=}.
 */
public final class BindText {
    /** What follows an address with TLS. */
    private static final String TLS = " ssl";

    private BindText() {}

    /**
     * Parses an address, with the port of HTTP as the default. A name may have several addresses.
     *
     * @throws IllegalArgumentException with a sentence that explains why the address cannot be used
     */
    public static List<SocketAddress> parse(String text) {
        return isTls(text) ? parseTls(text) : parse(text, HttpSettings.DEFAULT_PORT);
    }

    /** Returns whether an address asks for TLS. */
    static boolean isTls(String text) {
        return text.endsWith(TLS);
    }

    /** Returns an address with TLS. A Unix-domain socket stays as it is. */
    static String withTls(String text) {
        return isTls(text) || UnixPlace.isPath(text) ? text : text + TLS;
    }

    private static List<SocketAddress> parseTls(String text) {
        String address = text.substring(0, text.length() - TLS.length()).strip();
        if (UnixPlace.isPath(address)) {
            throw new IllegalArgumentException("expected host:port before ssl: a Unix-domain socket has no TLS");
        }
        return ListenAddress.parse(address, HttpSettings.DEFAULT_PORT).stream()
                .<SocketAddress>map(TlsAddress::new).toList();
    }

    /** Parses an address, like {@link #parse(String)}, without TLS and with another default port. */
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
        String address = isTls(text) ? text.substring(0, text.length() - TLS.length()).strip() : text;
        int colon = address.lastIndexOf(':');
        String host = colon >= 0 ? address.substring(0, colon) : address;
        return host.matches("[A-Za-z0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*") && !text.startsWith(".")
                ? Optional.of(host)
                : Optional.empty();
    }
}
