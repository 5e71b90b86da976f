package dev.weir.http.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.net.ListenAddress;

/**
 * A parser of addresses as in {@code bind_socket}: {@code host}, {@code host:port}, {@code *:port}, {@code [::1]:port},
 * or the path of a Unix-domain socket.
 */
public final class BindText {
    private static final int MAX_PORT = 65_535;
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
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon >= 0 && (text.indexOf(':') == colon || text.startsWith("[")) && !text.endsWith("]");
        String host = hasPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = hasPort ? port(text.substring(colon + 1)) : defaultPort;
        if (port < 0 || host.isEmpty()) {
            throw malformed(text);
        }
        if (host.equals("*") || host.equals("*v4") || host.equals("*v6")) {
            return List.of(new InetSocketAddress(host.equals("*")
                    ? ListenAddress.all()
                    : InetAddress.ofLiteral(host.equals("*v4") ? "0.0.0.0" : "::"), port));
        }
        return addresses(text, host, port);
    }

    /** Returns the host name in such a text; empty for an address, a star or a path. */
    static Optional<String> host(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon >= 0 ? text.substring(0, colon) : text;
        return host.matches("[A-Za-z0-9_.-]*[A-Za-z][A-Za-z0-9_.-]*") && !text.startsWith(".")
                ? Optional.of(host)
                : Optional.empty();
    }

    private static List<SocketAddress> addresses(String text, String host, int port) {
        List<SocketAddress> addresses = new ArrayList<>();
        try {
            if (host.contains(":")) {
                addresses.add(new InetSocketAddress(InetAddress.ofLiteral(host), port));
            } else {
                for (InetAddress address : InetAddress.getAllByName(host)) {
                    addresses.add(new InetSocketAddress(address, port));
                }
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("there is no address for the host name \"" + host + "\"", e);
        } catch (IllegalArgumentException e) {
            throw malformed(text);
        }
        return addresses;
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(String.format(Locale.ROOT,
                "expected host:port, *:port, [address]:port or a path, but found \"%.100s\"", text));
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port > MAX_PORT ? -1 : port;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
