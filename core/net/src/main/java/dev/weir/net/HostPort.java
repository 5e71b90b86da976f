package dev.weir.net;

/**
 * The place of a server in the notation of users: {@code host}, {@code host:port}, {@code [2001:db8::1]:port}.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * A text, divided after its host.
     *
     * @param host the text before the first colon, or in brackets
     * @param rest what follows with its colon; empty if nothing does
     */
    public record Parts(String host, String rest) {}

    /**
     * Reads a place to listen at, where port 0 means any free one. An IPv6 address without a port may stand without
     * brackets.
     *
     * @param usual the port if the text has none
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static HostPort parse(String text, int usual) {
        return parse(text, usual, 0);
    }

    /**
     * Reads a place to connect to, like {@link #parse}, but not with port 0.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    public static HostPort server(String text, int usual) {
        return parse(text, usual, 1);
    }

    private static HostPort parse(String text, int usual, int least) {
        boolean isBare = !text.startsWith("[") && text.indexOf(':') != text.lastIndexOf(':');
        Parts parts = isBare ? new Parts(text, "") : split(text);
        if (parts.host().isEmpty()) {
            throw new IllegalArgumentException("\"" + text + "\" has no host: write HOST or HOST:PORT");
        }
        return new HostPort(parts.host(),
                parts.rest().isEmpty() ? usual : port(text, parts.rest().substring(1), least));
    }

    /**
     * Divides a text after its host, which is in brackets or ends at the first colon.
     *
     * @throws IllegalArgumentException with a sentence, if a bracket is not closed, or is not the end of the host
     */
    public static Parts split(String text) {
        if (!text.startsWith("[")) {
            int colon = text.indexOf(':');
            return colon < 0 ? new Parts(text, "") : new Parts(text.substring(0, colon), text.substring(colon));
        }
        int close = text.indexOf(']');
        if (close < 0) {
            throw new IllegalArgumentException("\"" + text + "\" opens a bracket and does not close it");
        }
        String rest = text.substring(close + 1);
        if (!rest.isEmpty() && !rest.startsWith(":")) {
            throw new IllegalArgumentException("\"" + text + "\" has something other than :port after the bracket");
        }
        return new Parts(text.substring(1, close), rest);
    }

    private static int port(String text, String digits, int least) {
        if (!digits.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("\"" + digits + "\" in \"" + text + "\" is not a port number");
        }
        int port = Integer.parseInt(digits);
        if (port < least || port > MAX_PORT) {
            throw new IllegalArgumentException(
                    "\"" + digits + "\" in \"" + text + "\" is not a port from " + least + " to " + MAX_PORT);
        }
        return port;
    }

    /** Returns the sentence about a host name that does not exist. */
    public static String unknown(String host) {
        return "there is no address for the host name \"" + host + "\"";
    }

    /** Returns the notation of users. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
