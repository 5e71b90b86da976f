package dev.weir.scan;

import java.net.InetAddress;
import java.net.UnknownHostException;

import dev.weir.net.HostPort;

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
        HostPort place = HostPort.server(text, DEFAULT_PORT);
        return new StorageAddress(place.host(), place.port());
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
        return new HostPort(host, port).toString();
    }
}
