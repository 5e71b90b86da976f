package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A URL with a host, as found in an HTML attribute.
 *
 * @param scheme lower case, without colon: http, https, ftp, file, mailto, tel, …
 * @param host lower case; for telephone numbers the digits
 * @param user what stood before the {@code @}, if anything
 * @param registrableDomain label + public suffix; the host itself where no suffix is known (addresses, numbers,
 * localhost)
 * @param schemeless the scheme was guessed
 * @param text the whole URL in one spelling (lower-case scheme and host, user, port and path as written), fit for
 * comparing
 */
public record Url(String scheme, String host, @Nullable String user, String registrableDomain, boolean schemeless,
        String text) {
    /** Longest href that is looked at, in bytes; longer ones are cut. Rspamd's own URLs end at 16 bits of length. */
    static final int MAX_LENGTH = 65_535;

    /**
     * Reads an {@code href} leniently (docs/reference/hashing.md#urls): the scheme is guessed where it lacks
     * ({@code //x} and bare hosts are http, {@code user@host} is mailto), white space and zero-width characters are
     * dropped, and {@code %40 %3a %7c %3f %5c %2f} are unescaped.
     *
     * @param href the attribute value, UTF-8, entities already decoded
     * @return null if this is no URL with a host: relative links, fragments, {@code javascript:}, {@code data:},
     * schemeless hosts without a known suffix, broken ones
     */
    public static @Nullable Url parseHref(byte[] href, PublicSuffixes suffixes) {
        return HrefParser.parse(href, suffixes);
    }

    /** As {@link #parseHref(byte[], PublicSuffixes)}, for a string. */
    public static @Nullable Url parseHref(String href, PublicSuffixes suffixes) {
        return HrefParser.parse(href.getBytes(StandardCharsets.UTF_8), suffixes);
    }

    /** True for URLs that name a mailbox rather than a place. */
    public boolean isMail() {
        return scheme.equals("mailto");
    }
}
