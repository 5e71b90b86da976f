package dev.weir.storage.settings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.function.Consumer;

import dev.weir.storage.server.StorageConfig;

/** Addresses as {@code bind_socket} writes them: {@code host}, {@code host:port}, {@code *:port}, {@code [::1]:port}. */
final class BindAddress {
    private static final int MAX_PORT = 65_535;

    private BindAddress() {}

    /**
     * Reads one.
     *
     * @param refused is told why it cannot be used
     */
    static Optional<InetSocketAddress> parse(String text, Consumer<String> refused) {
        if (text.startsWith("/")) {
            refused.accept("this storage does not listen on Unix sockets");
            return Optional.empty();
        }
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon >= 0 && (text.indexOf(':') == colon || text.startsWith("[")) && !text.endsWith("]");
        String host = hasPort ? text.substring(0, colon) : text;
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = hasPort ? port(text.substring(colon + 1)) : StorageConfig.DEFAULT_PORT;
        if (port < 0 || host.isEmpty()) {
            refused.accept("expected host:port, *:port or [address]:port, but found \"" + text + "\"");
            return Optional.empty();
        }
        try {
            return Optional.of(new InetSocketAddress(address(host), port));
        } catch (IllegalArgumentException e) {
            refused.accept("expected host:port, *:port or [address]:port, but found \"" + text + "\"");
            return Optional.empty();
        } catch (UnknownHostException e) {
            refused.accept("there is no address for the host name \"" + host + "\"");
            return Optional.empty();
        }
    }

    private static InetAddress address(String host) throws UnknownHostException {
        if (host.equals("*")) {
            return InetAddress.ofLiteral("0.0.0.0");
        }
        return host.contains(":") ? InetAddress.ofLiteral(host) : InetAddress.getByName(host);
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
