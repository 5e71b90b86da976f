package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The authority of a URL: {@code user:password@host:port}.
 *
 * @param user user information, or null
 * @param host normalized host
 * @param domain registrable domain; the address itself for IP literals; null if the host ends in no known suffix
 * @param port 0 if absent
 * @param end position after the last byte
 */
record Authority(@Nullable String user, String host, @Nullable String domain, int port, int end) {
    /** Maximum length of a password, and of user information without a scheme in front, in bytes. */
    static final int MAX_USER = 254;
    /** Position value for an authority without user information. */
    static final int NO_USER = -1;
    /** Position value for an {@code @} that makes the URL invalid. */
    static final int BROKEN = -2;

    /**
     * Parses an authority at {@code from}.
     *
     * @param at position of the {@code @} after user information, {@link #NO_USER} or {@link #BROKEN}
     * @param strict true in running text, where any byte outside the url-safe class ends a host; false in an attribute,
     * where only closing bytes do
     */
    static @Nullable Authority read(byte[] s, int from, int to, int at, boolean strict, PublicSuffixes suffixes) {
        if (from >= to || at == BROKEN) {
            return null;
        }
        String user = null;
        int hostFrom = from;
        if (at >= 0) {
            if (s[from] == ':') {
                return null;
            }
            user = new String(s, from, at - from, StandardCharsets.UTF_8);
            hostFrom = at + 1;
        }
        if (hostFrom < to && s[hostFrom] == '[') {
            return literal(s, hostFrom + 1, to, user);
        }
        int end = hostFrom;
        // One byte over the limit is enough to reject the host.
        int bound = Math.min(to, hostFrom + Hosts.MAX_LENGTH + 1);
        while (end < bound && !endsHost(s[end]) && (!strict || (UrlBytes.urlSafe(s[end]) && !wideSpace(s, end, to)))) {
            end++;
        }
        String host = Hosts.normalise(s, hostFrom, end);
        if (host == null) {
            return null;
        }
        int port = port(s, end, to);
        if (port < 0) {
            return null;
        }
        int stop = port == 0 ? end : portEnd(s, end, to);
        String domain = suffixes.registrableDomain(host);
        if (domain == null) {
            String address = Hosts.ipv4(host);
            if (address != null) {
                return new Authority(user, address, address, port, stop);
            }
            domain = isPlainName(host) ? host : null;
        }
        return new Authority(user, host, domain, port, stop);
    }

    /** Whether the host is a name without dots, which is a domain of its own. */
    private static boolean isPlainName(String host) {
        return host.chars().allMatch(c -> c >= 0x80 || UrlBytes.alnum((byte) c) || c == '-' || c == '_')
                && host.charAt(host.length() - 1) < 0x80 && UrlBytes.alnum((byte) host.charAt(host.length() - 1));
    }

    private static @Nullable Authority literal(byte[] s, int from, int to, @Nullable String user) {
        int close = from;
        while (close < to && s[close] != ']' && close - from <= 45) {
            close++;
        }
        if (close >= to || s[close] != ']') {
            return null;
        }
        String host = Hosts.ipv6(s, from, close);
        int end = close + 1;
        if (host == null || (end < to && (!endsHost(s[end]) || UrlBytes.space(s[end])))) {
            return null;
        }
        int port = port(s, end, to);
        return port < 0 ? null : new Authority(user, host, host, port, port == 0 ? end : portEnd(s, end, to));
    }

    /**
     * Returns the position of the {@code @} after user information in an attribute, or {@link #NO_USER}.
     */
    static int userEnd(byte[] s, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = s[i];
            if (b == '@') {
                return i;
            }
            if (b == '/' || b == '?' || b == '#' || UrlBytes.space(b)
                    || (b == '\\' && (i + 1 >= to || s[i + 1] != '@'))) {
                return NO_USER;
            }
        }
        return NO_USER;
    }

    private static boolean opens(byte b) {
        return b == '<' || b == '(' || b == '{' || b == '[';
    }

    /** Whether the character is a space outside ASCII: U+00A0, U+2000..U+200A, U+202F, U+3000. */
    private static boolean wideSpace(byte[] s, int i, int to) {
        return switch (s[i] & 0xff) {
            case 0xc2 -> i + 1 < to && s[i + 1] == (byte) 0xa0;
            case 0xe2 -> i + 2 < to && s[i + 1] == (byte) 0x80
                    && (s[i + 2] <= (byte) 0x8a || s[i + 2] == (byte) 0xaf);
            case 0xe3 -> i + 2 < to && s[i + 1] == (byte) 0x80 && s[i + 2] == (byte) 0x80;
            default -> false;
        };
    }

    private static boolean endsHost(byte b) {
        return b == '/' || b == '?' || b == '#' || b == ':' || b == '\\' || UrlBytes.space(b) || UrlBytes.closer(b)
                || opens(b);
    }

    /** Returns the port after a colon at {@code end}: 0 without a colon, −1 if the port is invalid. */
    private static int port(byte[] s, int end, int to) {
        if (end >= to || s[end] != ':') {
            return 0;
        }
        int stop = portEnd(s, end, to);
        if (stop == end + 1 || stop - end > 6
                || (stop < to && (!endsHost(s[stop]) || s[stop] == ':' || s[stop] == '\\'))) {
            return -1;
        }
        int port = Integer.parseInt(new String(s, end + 1, stop - end - 1, StandardCharsets.US_ASCII));
        return port >= 1 && port <= 65_535 ? port : -1;
    }

    private static int portEnd(byte[] s, int colon, int to) {
        int i = colon + 1;
        while (i < to && UrlBytes.digit(s[i])) {
            i++;
        }
        return i;
    }
}
