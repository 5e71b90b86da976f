package dev.weir.hash.html.css;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The styles that {@code style} attributes state, with a cache of recent ones: newsletters and campaigns repeat the
 * same attributes many times. An attribute has two possible slots, which it shares with others; a new one evicts the
 * older of the two. Thread-safe; the cache does not affect results.
 */
public final class InlineStyles {
    /** Number of slots, a power of two. */
    private static final int SLOTS = 1 << 14;
    /** Maximum length of a cached attribute in bytes, which bounds the cache to about 6 MB for each release. */
    private static final int LONGEST = 256;

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
        int slot = slot(html, from, to);
        for (int either = 0; either < 2; either++) {
            Entry entry = entries[slot ^ either];
            if (entry != null && Arrays.equals(entry.css, 0, entry.css.length, html, from, to)) {
                return entry.style;
            }
        }
        return null;
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
            int slot = slot(html, from, to);
            entries[slot ^ 1] = entries[slot];
            entries[slot] = new Entry(Arrays.copyOfRange(html, from, to), style);
        }
        return style;
    }

    /** Reads the style of a decoded attribute that is not kept. */
    public Style read(byte[] css) {
        return Declarations.inline(new String(css, StandardCharsets.ISO_8859_1), like).style();
    }

    private static int slot(byte[] html, int from, int to) {
        return (int) (EightBytes.hash(0, html, from, to) >>> 40) & (SLOTS - 1);
    }
}
