package dev.weir.storage.shared;

import dev.weir.net.HostPort;

/**
 * The address of a server.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 1 to 65535
 */
public record RedisAddress(String host, int port) {
    /** The usual port of Redis and Valkey. */
    public static final int PORT = 6379;

    /** The usual port of a Sentinel. */
    public static final int SENTINEL_PORT = 26_379;

    /**
     * Parses {@code host}, {@code host:port}, {@code [address]:port} or an IPv6 address.
     *
     * @throws IllegalArgumentException with a sentence, if the text is something else
     */
    public static RedisAddress parse(String text, int usual) {
        HostPort place = HostPort.server(text.strip(), usual);
        if (place.host().indexOf('/') >= 0 || place.host().indexOf(' ') >= 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address such as redis.example.com:6379");
        }
        return new RedisAddress(place.host(), place.port());
    }

    @Override
    public String toString() {
        return new HostPort(host, port).toString();
    }
}
