package dev.weir.scan;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The address of a storage in the notation of users: {@code host}, {@code host:port}, {@code [2001:db8::1]:port}.
 *
 * @param host a host name or address, IPv6 without brackets
 * @param port the UDP port, 1 to 65535; 0 only for listening, which means any free port
 */
public record StorageAddress(String host, int port) {
    /** The default port of Rspamd's fuzzy storages. */
    public static final int DEFAULT_PORT = 11335;

    public StorageAddress {
        if (host.isEmpty()) {
            throw new IllegalArgumentException("the host of a storage address is empty");
        }
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
        }
    }

    /**
     * Parses an address of a command line or a configuration. The default port is {@value #DEFAULT_PORT}.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static StorageAddress parse(String text) {
        StorageAddress address = parseBind(text);
        if (address.port() == 0) {
            throw new IllegalArgumentException("port 0 in \"" + text + "\" is not a valid port");
        }
        return address;
    }

    /**
     * Parses an address to listen on. Unlike for {@link #parse}, port 0 is valid and means any free port.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static StorageAddress parseBind(String text) {
        String port;
        String host;
        if (text.startsWith("[")) {
            int close = text.indexOf(']');
            if (close < 0) {
                throw new IllegalArgumentException("\"" + text + "\" opens a bracket and does not close it");
            }
            host = text.substring(1, close);
            String rest = text.substring(close + 1);
            if (!rest.isEmpty() && !rest.startsWith(":")) {
                throw new IllegalArgumentException("\"" + text + "\" has something other than :port after the bracket");
            }
            port = rest.isEmpty() ? "" : rest.substring(1);
        } else {
            int colon = text.lastIndexOf(':');
            if (colon != text.indexOf(':')) {
                // Several colons: an IPv6 address without a port.
                host = text;
                port = "";
            } else {
                host = colon < 0 ? text : text.substring(0, colon);
                port = colon < 0 ? "" : text.substring(colon + 1);
            }
        }
        if (host.isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" has no host: write HOST or HOST:PORT");
        }
        if (port.isEmpty()) {
            return new StorageAddress(host, DEFAULT_PORT);
        }
        try {
            return new StorageAddress(host, Integer.parseInt(port));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + port + "\" in \"" + text + "\" is not a port number", e);
        }
    }

    /**
     * Resolves the host.
     *
     * @throws UpstreamException if the name does not exist
     */
    InetAddress resolve() throws UpstreamException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new UpstreamException(UpstreamException.Kind.NO_ANSWER, "the host " + host + " is not known", e);
        }
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
