package dev.weir.storage.shared;

/**
 * The address of a server.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 1 to 65535
 */
public record EngineAddress(String host, int port) {
    /** The usual port of Redis and Valkey. */
    public static final int PORT = 6379;

    /** The usual port of a Sentinel. */
    public static final int SENTINEL_PORT = 26_379;

    /**
     * Parses {@code host}, {@code host:port}, {@code [address]:port} or an IPv6 address.
     *
     * @throws IllegalArgumentException with a sentence, if the text is something else
     */
    public static EngineAddress parse(String text, int usual) {
        String host = text.strip();
        int port = usual;
        int end = host.startsWith("[") ? host.indexOf(']') : -1;
        int colon = end < 0 ? host.indexOf(':') : host.indexOf(':', end);
        boolean bareAddress = end < 0 && colon != host.lastIndexOf(':');
        if (colon >= 0 && !bareAddress) {
            port = port(text, host.substring(colon + 1));
            host = host.substring(0, colon);
        }
        if (end > 0) {
            host = host.substring(1, end);
        }
        if (host.isEmpty() || host.indexOf('/') >= 0 || host.indexOf(' ') >= 0) {
            throw new IllegalArgumentException("\"" + text + "\" is not an address such as redis.example.com:6379");
        }
        return new EngineAddress(host, port);
    }

    private static int port(String text, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port > 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" has no port number after the colon", e);
        }
        throw new IllegalArgumentException("\"" + text + "\" has a port outside 1 to 65535");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
