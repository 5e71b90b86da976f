package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A URL with a host, from an HTML attribute.
 *
 * @param scheme in lower case without colon: http, https, ftp, file, mailto, tel, …
 * @param host in lower case; the digits for telephone numbers
 * @param user user information before the {@code @}, or null
 * @param registrableDomain public suffix plus one label; the host itself if no suffix is known (addresses, numbers,
 * localhost)
 * @param schemeless whether the scheme was guessed
 * @param text comparison form of the URL: scheme and host in lower case; user, port and path as written
 */
public record Url(String scheme, String host, @Nullable String user, String registrableDomain, boolean schemeless,
        String text) {
    /** Maximum length of an href in bytes; longer ones are truncated. Rspamd's limit comes from a 16-bit length. */
    static final int MAX_LENGTH = 65_535;

    /**
     * Parses an {@code href} leniently (docs/reference/hashing.md#urls). A missing scheme is guessed: {@code //x} and
     * bare hosts are http, {@code user@host} is mailto. White space and zero-width characters are dropped.
     * {@code %40 %3a %7c %3f %5c %2f} are unescaped.
     *
     * @param href the attribute value in UTF-8, with entities decoded
     * @return null unless this is a URL with a host; null for relative links, fragments, {@code javascript:},
     * {@code data:}, schemeless hosts without a known suffix, and broken URLs
     */
    public static @Nullable Url parseHref(byte[] href, PublicSuffixes suffixes) {
        return HrefParser.parse(href, suffixes);
    }

    /** Parses a string; see {@link #parseHref(byte[], PublicSuffixes)}. */
    public static @Nullable Url parseHref(String href, PublicSuffixes suffixes) {
        return HrefParser.parse(href.getBytes(StandardCharsets.UTF_8), suffixes);
    }

    /** Whether the URL names a mailbox. */
    public boolean isMail() {
        return scheme.equals("mailto");
    }
}
