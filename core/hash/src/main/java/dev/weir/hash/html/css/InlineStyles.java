package dev.weir.hash.html.css;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The styles that {@code style} attributes state, with a cache of recent ones: newsletters and campaigns repeat the
 * same attributes many times. A new attribute replaces the one with which it shares a slot. Thread-safe; the cache does
 * not affect results.
 */
public final class InlineStyles {
    /** Number of slots, a power of two. */
    private static final int SLOTS = 1 << 13;
    /** Maximum length of a cached attribute in bytes, which bounds the cache to about 3 MB for each release. */
    private static final int LONGEST = 256;

    /** Spreads the bits of a product. */
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private static final InlineStyles V4_1 = new InlineStyles(Release.V4_1);
    private static final InlineStyles V3_4 = new InlineStyles(Release.V3_4);

    /**
     * @param css the attribute as written
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(byte[] css, Style style) {}

    private final Release like;
    /** Threads race here without harm: an entry is immutable, and a lost one is only parsed again. */
    private final @Nullable Entry[] entries = new Entry[SLOTS];

    private InlineStyles(Release like) {
        this.like = like;
    }

    /** Returns the styles by the rules of a release. */
    public static InlineStyles of(Release like) {
        return like == Release.V3_4 ? V3_4 : V4_1;
    }

    /** Returns the style of the attribute that is written in [from, to), or null if it is not in the cache. */
    public @Nullable Style known(byte[] html, int from, int to) {
        if (to - from > LONGEST) {
            return null;
        }
        Entry entry = entries[slot(html, from, to)];
        return entry != null && Arrays.equals(entry.css, 0, entry.css.length, html, from, to) ? entry.style : null;
    }

    /**
     * Reads the style of an attribute and keeps it in the cache.
     *
     * @param from start of the attribute as written in {@code html}
     * @param to its end
     * @param css the decoded attribute, in which each byte is one character
     * @return the style; do not modify it, because all elements with the same attribute share it
     */
    public Style read(byte[] html, int from, int to, byte[] css) {
        Style style = read(css);
        if (to - from <= LONGEST) {
            entries[slot(html, from, to)] = new Entry(Arrays.copyOfRange(html, from, to), style);
        }
        return style;
    }

    /** Reads the style of a decoded attribute that is not kept. */
    public Style read(byte[] css) {
        return Declarations.inline(new String(css, StandardCharsets.ISO_8859_1), like).style();
    }

    private static int slot(byte[] html, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at <= to - EightBytes.WIDTH; at += EightBytes.WIDTH) {
            hash = (hash ^ EightBytes.at(html, at)) * FACTOR;
            hash ^= hash >>> 32;
        }
        for (; at < to; at++) {
            hash = (hash ^ html[at]) * FACTOR;
        }
        return (int) (hash >>> 40) & (SLOTS - 1);
    }
}
