package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UCharacterEnums.ECharacterCategory;
import dev.weir.hash.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * The authority of a URL: {@code user:password@host:port}.
 *
 * @param user user information, or null
 * @param host normalized host; a trailing dot stays if the host ends in no known suffix
 * @param domain registrable domain; the address itself for IP literals; null if the host ends in no known suffix
 * @param listed whether the host ends in a known suffix
 * @param port 0 if absent
 * @param end position after the last byte
 */
record Authority(@Nullable String user, String host, @Nullable String domain, boolean listed, int port, int end) {
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
     * @return null if it is malformed; without domain if, in running text, its host cannot be prepared
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
            while (hostFrom < to && s[hostFrom] == '@') {
                hostFrom++;
            }
        }
        if (hostFrom < to && s[hostFrom] == '[') {
            return literal(s, hostFrom + 1, to, user);
        }
        int end = strict ? strictEnd(s, hostFrom, to) : hostFrom;
        // One byte over the limit is enough to reject the host.
        int bound = Math.min(to, hostFrom + Hosts.MAX_LENGTH + 1);
        while (!strict && end < bound && !endsHost(s[end])) {
            end++;
        }
        if (end <= hostFrom || !opensHost(s[hostFrom])) {
            return null;
        }
        boolean last = end == to || !continues(s[end]);
        if (last && !UrlBytes.domain(s[end - 1])) {
            return null; // http://a.com! is no URL, but http://a.com!/ is one
        }
        String host = Hosts.normalise(s, hostFrom, end);
        int port = port(s, end, to);
        if (port < 0 || (host == null && !strict)) {
            return null;
        }
        int stop = port == 0 ? end : portEnd(s, end, to);
        if (host == null) {
            return new Authority(user, "", null, false, port, stop);
        }
        String name = Hosts.withoutDot(host);
        String domain = suffixes.registrableDomain(name);
        if (domain == null && name.length() < host.length()) {
            domain = wwwDomain(name);
        }
        if (domain != null) {
            return new Authority(user, name, domain, true, port, stop);
        }
        String address = Hosts.ipv4(name);
        return address != null
                ? new Authority(user, address, address, false, port, stop)
                : new Authority(user, host, isPlainName(name) ? name : null, false, port, stop);
    }

    /**
     * Returns the end of a host in running text: a byte that is not url-safe, or a character beyond ASCII that is
     * neither visible nor of width zero. The result is −1 if the text is malformed there.
     */
    private static int strictEnd(byte[] s, int from, int to) {
        int bound = Math.min(to, from + Hosts.MAX_LENGTH + 1);
        int end = from;
        while (end < bound && !endsHost(s[end]) && UrlBytes.urlSafe(s[end])) {
            if (s[end] >= 0) {
                end++;
                continue;
            }
            int length = Utf8.sequence(s, end, to);
            if (length == 0) {
                return -1;
            }
            if (!isVisible(Utf8.codePoint(s, end, length))) {
                break;
            }
            end += length;
        }
        return end;
    }

    private static boolean isVisible(int c) {
        return switch (UCharacter.getType(c)) {
            case ECharacterCategory.CONTROL, ECharacterCategory.SURROGATE, ECharacterCategory.UNASSIGNED,
                    ECharacterCategory.SPACE_SEPARATOR, ECharacterCategory.LINE_SEPARATOR,
                    ECharacterCategory.PARAGRAPH_SEPARATOR ->
                false;
            case ECharacterCategory.FORMAT -> (c >= 0x200b && c <= 0x200d) || c == 0xfeff || c == 0xad;
            default -> true;
        };
    }

    /**
     * Returns the last two labels of a name like {@code x.www.a}, which a dot follows, or null. Rspamd searches such a
     * host for the beginnings of URLs as well as for suffixes.
     */
    private static @Nullable String wwwDomain(String name) {
        int dot = name.lastIndexOf('.');
        return dot == name.length() - 2 && UrlBytes.alnum((byte) name.charAt(dot + 1)) && name.charAt(dot + 1) < 0x80
                && name.startsWith("www", dot - 3)
                        ? name.substring(name.lastIndexOf('.', dot - 1) + 1)
                        : null;
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
        if (host == null || (end < to && !continues(s[end]))) {
            return null;
        }
        int port = port(s, end, to);
        return port < 0 ? null : new Authority(user, host, host, false, port, port == 0 ? end : portEnd(s, end, to));
    }

    /**
     * Returns the position of the {@code @} after user information in an attribute, {@link #NO_USER} or
     * {@link #BROKEN}.
     */
    static int userEnd(byte[] s, int from, int to) {
        boolean named = from < to && opensHost(s[from]);
        for (int i = from; i < to; i++) {
            byte b = s[i];
            if (b == '@') {
                return isGraphic(s, from, i) ? i : BROKEN;
            }
            if (b == '/' || b == '?' || b == '#'
                    || (named && (UrlBytes.space(b) || (b == '\\' && (i + 1 >= to || s[i + 1] != '@'))))) {
                return named ? passwordEnd(s, from, i, to) : NO_USER;
            }
        }
        return NO_USER;
    }

    /**
     * Returns the position of the {@code @} after a password with slashes or question marks: what follows a colon that
     * starts no port.
     *
     * @param stop position of the first slash or question mark
     */
    private static int passwordEnd(byte[] s, int from, int stop, int to) {
        int colon = from;
        while (colon < stop && !endsHost(s[colon])) {
            colon++;
        }
        boolean port = portEnd(s, colon, stop) == stop && stop > colon + 1 && s[stop] != '\\';
        if (colon >= stop || s[colon] != ':' || port) {
            return NO_USER;
        }
        for (int i = colon + 2; i < to && i - colon <= MAX_USER + 1; i++) {
            if (s[i] == '@') {
                return isGraphic(s, from, colon) && isGraphic(s, colon + 2, i) ? i : BROKEN;
            }
        }
        return NO_USER;
    }

    /** Whether all bytes are visible characters of ASCII, as those of user information must be. */
    static boolean isGraphic(byte[] s, int from, int to) {
        for (int i = from; i < to; i++) {
            if (s[i] <= ' ' || s[i] == 0x7f) {
                return false;
            }
        }
        return true;
    }

    static boolean opensHost(byte b) {
        return UrlBytes.alnum(b) || b == '%' || b == '_' || b < 0;
    }

    private static boolean opens(byte b) {
        return b == '<' || b == '(' || b == '{' || b == '[';
    }

    private static boolean endsHost(byte b) {
        return continues(b) || UrlBytes.space(b) || UrlBytes.closer(b) || opens(b);
    }

    /** Whether a port, a path, a query or a fragment follows a host. */
    private static boolean continues(byte b) {
        return b == '/' || b == '?' || b == '#' || b == ':' || b == '\\';
    }

    /** Returns the port after a colon at {@code end}: 0 without a colon, −1 if the port is invalid. */
    private static int port(byte[] s, int end, int to) {
        if (end >= to || s[end] != ':') {
            return 0;
        }
        int stop = portEnd(s, end, to);
        if (stop == end + 1 || stop - end > 6
                || (stop < to && (!endsHost(s[stop]) || opens(s[stop]) || s[stop] == ':' || s[stop] == '\\'))) {
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
