package dev.weir.storage.shared;

import dev.weir.net.HostPort;
import dev.weir.net.UnixPlace;

/**
 * The address of a server.
 *
 * @param host a name or an address, IPv6 without brackets; or the path of a Unix-domain socket
 * @param port 1 to 65535; 0 for a socket
 */
public record RedisAddress(String host, int port) {
    /** The usual port of Redis and Valkey. */
    public static final int PORT = 6379;

    /** The usual port of a Sentinel. */
    public static final int SENTINEL_PORT = 26_379;

    /**
     * Parses {@code host}, {@code host:port}, {@code [address]:port}, an IPv6 address or {@code /path/of/socket}.
     *
     * @throws IllegalArgumentException with a sentence, if the text is something else
     */
    public static RedisAddress parse(String text, int usual) {
        if (UnixPlace.isPath(text.strip())) {
            return new RedisAddress(UnixPlace.parse(text.strip()).toString(), 0);
        }
        HostPort place = HostPort.server(text.strip(), usual);
        if (place.host().indexOf('/') >= 0 || place.host().indexOf(' ') >= 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address such as redis.example.com:6379");
        }
        return new RedisAddress(place.host(), place.port());
    }

    /** Returns whether this is a Unix-domain socket. */
    public boolean isSocket() {
        return port == 0;
    }

    @Override
    public String toString() {
        return isSocket() ? host : new HostPort(host, port).toString();
    }
}
