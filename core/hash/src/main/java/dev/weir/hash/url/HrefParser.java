package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/** A lenient parser for {@code href} values; see {@link Url#parseHref(byte[], PublicSuffixes)}. */
final class HrefParser {
    private static final Set<String> WEB = Set.of("http", "https", "ftp", "file");
    private static final String MAIL = "mailto";
    private static final Set<String> PHONE = Set.of("tel", "callto");
    private static final int LONGEST_SCHEME = 6;
    /** Minimum length of a URL with a number that begins with a plus sign. */
    private static final int SHORTEST_INTERNATIONAL = 8;

    private HrefParser() {}

    static @Nullable Url parse(byte[] href, PublicSuffixes suffixes) {
        byte[] s = withoutSpace(href);
        if (s.length == 0) {
            return null;
        }
        String scheme = scheme(s);
        if (scheme == null) {
            return schemeless(s, suffixes);
        }
        byte[] rest = unescape(s, scheme.length() + 1);
        if (scheme.equals(MAIL)) {
            return s.length > UrlScan.MAX_MAILTO ? null : mail(rest, false, suffixes);
        }
        return PHONE.contains(scheme) ? phone(scheme, rest) : web(scheme, rest, false, suffixes);
    }

    private static @Nullable Url schemeless(byte[] s, PublicSuffixes suffixes) {
        if (hasAuthority(s)) {
            return null;
        }
        if (s.length > 1 && s[0] == '/' && s[1] == '/') {
            return web("http", unescape(s, 0), true, suffixes);
        }
        int i = 0;
        while (i < s.length && (UrlBytes.alnum(s[i]) || s[i] < 0 || (i > 0 && isAmbiguous(s[i])))) {
            i++;
        }
        // A single word is no host, and what follows a colon is a port or a foreign scheme: cid:, data:, javascript:.
        boolean word = i == s.length && isWord(s);
        if (i == 0 || word || (i < s.length && s[i] == ':')) {
            return null;
        }
        byte[] rest = unescape(s, 0);
        if (i < s.length && s[i] == '@') {
            return (MAIL + ":").length() + s.length > UrlScan.MAX_MAILTO ? null : mail(rest, true, suffixes);
        }
        byte[] withSlashes = new byte[rest.length + 2];
        withSlashes[0] = '/';
        withSlashes[1] = '/';
        System.arraycopy(rest, 0, withSlashes, 2, rest.length);
        return web("http", withSlashes, true, suffixes);
    }

    /** Whether the character may be part of a host as well as of the user of an address. */
    private static boolean isAmbiguous(byte b) {
        return b == '.' || b == '-' || b == '_' || b == '+';
    }

    private static boolean isWord(byte[] s) {
        for (byte b : s) {
            if (isAmbiguous(b)) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is a scheme somewhere, so that none is missing. */
    private static boolean hasAuthority(byte[] s) {
        for (int i = 0; i + 2 < s.length; i++) {
            if (s[i] == ':' && s[i + 1] == '/' && s[i + 2] == '/') {
                return true;
            }
        }
        return false;
    }

    /**
     * @param s text after the colon of the scheme
     */
    private static @Nullable Url web(String scheme, byte[] s, boolean schemeless, PublicSuffixes suffixes) {
        int from = 0;
        while (from < s.length && (s[from] == '/' || s[from] == '\\')) {
            from++;
        }
        if (from == 1) {
            return null;
        }
        Authority a = Authority.read(s, from, s.length, Authority.userEnd(s, from, s.length), false, suffixes);
        if (a == null || (a.end() < s.length && s[a.end()] == ':')) {
            return null;
        }
        String domain = a.domain();
        // Without a scheme a plain name and a number count, but not a name with dots and no known suffix.
        boolean dots = ByteSearch.indexOf(s, from, a.end(), '.') < a.end() - 1;
        boolean known = !schemeless || a.listed() || (!dots && domain != null);
        if (!known) {
            return null;
        }
        if (domain == null) {
            domain = a.host();
        }
        int end = a.end();
        while (end < s.length && !UrlBytes.closer(s[end])) {
            end++;
        }
        String user = a.user();
        // The final dot of a fully qualified name stays in the text, although it may be no part of the host.
        String dot = a.port() == 0 && s[a.end() - 1] == '.' && !a.host().endsWith(".") ? "." : "";
        String text = scheme + "://" + (user == null ? "" : user + "@") + a.host() + dot
                + (a.port() == 0 ? "" : ":" + a.port())
                + new String(s, a.end(), end - a.end(), StandardCharsets.UTF_8);
        return new Url(scheme, a.host(), user, domain, schemeless, text);
    }

    private static @Nullable Url mail(byte[] s, boolean schemeless, PublicSuffixes suffixes) {
        int from = s.length >= 2 && s[0] == '/' && s[1] == '/' ? 2 : 0;
        int at = from;
        while (at < s.length && UrlBytes.mailSafe(s[at])) {
            at++;
        }
        if (at == from || at >= s.length || s[at] != '@') {
            return null;
        }
        int end = at + 1;
        while (end < s.length && UrlBytes.domain(s[end])) {
            end++;
        }
        if (end < s.length && (s[end] != '?' || end + 1 == s.length)) {
            return null;
        }
        String name = Hosts.normalise(s, at + 1, end);
        String host = name == null ? null : Hosts.withoutDot(name);
        String domain = host == null ? null : suffixes.registrableDomain(host);
        if (host == null || domain == null) {
            return null;
        }
        String user = new String(s, from, at - from, StandardCharsets.UTF_8);
        String text = MAIL + "://" + user + "@" + host + new String(s, end, s.length - end, StandardCharsets.UTF_8);
        return new Url(MAIL, host, user, domain, schemeless, text);
    }

    private static @Nullable Url phone(String scheme, byte[] s) {
        int from = 0;
        while (from < s.length && s[from] == '/') {
            from++;
        }
        boolean international = from < s.length && s[from] == '+';
        int start = international ? from + 1 : from;
        boolean tooShort = international && scheme.length() + 1 + s.length < SHORTEST_INTERNATIONAL;
        if (start >= s.length || tooShort
                || (s[start] != '%' && s[start] != '(' && !UrlBytes.digit(s[start]))) {
            return null;
        }
        StringBuilder digits = new StringBuilder();
        for (int i = start; i < s.length; i++) {
            if (s[i] == '%' && i + 2 < s.length && UrlBytes.hex(s[i + 1]) >= 0 && UrlBytes.hex(s[i + 2]) >= 0) {
                i += 2;
            } else if (UrlBytes.digit(s[i]) && digits.length() < 64) {
                digits.append((char) s[i]);
            }
        }
        if (digits.isEmpty()) {
            return null;
        }
        String number = digits.toString();
        return new Url(scheme, number, null, number, false, scheme + ":" + number);
    }

    /** Returns the scheme in lower case if it is a known one, else null. */
    private static @Nullable String scheme(byte[] s) {
        int colon = 0;
        while (colon < s.length && colon <= LONGEST_SCHEME && UrlBytes.alnum(s[colon])) {
            colon++;
        }
        if (colon == 0 || colon >= s.length || s[colon] != ':') {
            return null;
        }
        String name = new String(s, 0, colon, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        return WEB.contains(name) || name.equals(MAIL) || PHONE.contains(name) ? name : null;
    }

    /** Drops white space (except VT), zero-width characters, and a no-break space at either end. */
    private static byte[] withoutSpace(byte[] s) {
        int length = Math.min(s.length, Url.MAX_LENGTH);
        if (length == s.length && isPlain(s)) {
            return s;
        }
        byte[] out = new byte[length];
        int n = 0;
        for (int i = 0; i < length; i++) {
            byte b = s[i];
            if (UrlBytes.space(b) && b != 0x0b) {
                continue;
            }
            if (i + 2 < length && isZeroWidth(s, i)) {
                i += 2;
                continue;
            }
            if (i + 1 < length && b == (byte) 0xc2 && s[i + 1] == (byte) 0xad) {
                i++;
                continue;
            }
            out[n++] = b;
        }
        int from = 0;
        while (n - from >= 2 && out[from] == (byte) 0xc2 && out[from + 1] == (byte) 0xa0) {
            from += 2;
        }
        while (n - from >= 2 && out[n - 2] == (byte) 0xc2 && out[n - 1] == (byte) 0xa0) {
            n -= 2;
        }
        return Arrays.copyOfRange(out, from, n);
    }

    /**
     * Whether there is certainly nothing to drop, which is the common case: the value has neither white space nor bytes
     * outside ASCII.
     */
    private static boolean isPlain(byte[] s) {
        for (byte b : s) {
            if (b <= ' ') {
                return false;
            }
        }
        return true;
    }

    private static boolean isZeroWidth(byte[] s, int i) {
        return switch (s[i] & 0xff) {
            case 0xe2 -> s[i + 1] == (byte) 0x80 && s[i + 2] >= (byte) 0x8b && s[i + 2] <= (byte) 0x8d;
            case 0xef -> s[i + 1] == (byte) 0xbb && s[i + 2] == (byte) 0xbf;
            default -> false;
        };
    }

    private static byte[] unescape(byte[] s, int from) {
        if (ByteSearch.indexOf(s, from, s.length, '%') == s.length) {
            return from == 0 ? s : Arrays.copyOfRange(s, from, s.length);
        }
        byte[] out = new byte[s.length - from];
        int n = 0;
        for (int i = from; i < s.length; i++) {
            int plain = s[i] == '%' && i + 2 < s.length ? UrlBytes.hex(s[i + 1]) * 16 + UrlBytes.hex(s[i + 2]) : -1;
            switch (plain) {
                case '@', ':', '|', '?', '\\', '/' -> {
                    out[n++] = (byte) plain;
                    i += 2;
                }
                default -> out[n++] = s[i];
            }
        }
        return Arrays.copyOf(out, n);
    }
}
