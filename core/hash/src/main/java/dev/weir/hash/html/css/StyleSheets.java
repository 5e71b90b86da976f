package dev.weir.hash.html.css;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.weir.hash.bytes.EightBytes;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The style sheets of documents, with a cache of recent ones: the mails of a campaign have the same sheet, and many
 * newsletters have that of their program. A sheet has two possible slots, which it shares with others; a new one evicts
 * the older of the two. Thread-safe; the cache does not affect results.
 */
public final class StyleSheets {
    /** Number of slots, a power of two. */
    private static final int SLOTS = 1 << 8;
    /** Maximum length of a cached sheet in bytes. */
    private static final int LONGEST = 10 << 10;
    /**
     * Maximum number of rules of a cached sheet. Both limits bound the cache to 30 MB for each release; it usually
     * needs a tenth.
     */
    private static final int MOST_RULES = 256;

    private static final StyleSheets V4_1 = new StyleSheets(Release.V4_1);
    private static final StyleSheets V3_4 = new StyleSheets(Release.V3_4);

    /**
     * @param css the elements as written
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Entry(byte[][] css, StyleSheet sheet) {}

    private final Release like;
    private final StyleSheet empty;
    /** Threads race here without harm: an entry does not change, and a lost one is only parsed again. */
    private final @Nullable Entry[] entries = new Entry[SLOTS];

    private StyleSheets(Release like) {
        this.like = like;
        this.empty = new StyleSheet(like);
    }

    /** Returns the sheets by the rules of a release. */
    public static StyleSheets of(Release like) {
        return like == Release.V3_4 ? V3_4 : V4_1;
    }

    /**
     * Returns the sheet of a document.
     *
     * @param ranges start and end of each {@code <style>} element's content, in order
     */
    public StyleSheet read(byte[] html, int[] ranges) {
        if (ranges.length == 0) {
            return empty;
        }
        long total = 0;
        for (int i = 0; i < ranges.length; i += 2) {
            total += ranges[i + 1] - ranges[i];
        }
        if (total > LONGEST) {
            return parse(html, ranges);
        }
        int slot = slot(html, ranges);
        for (int either = 0; either < 2; either++) {
            Entry entry = entries[slot ^ either];
            if (entry != null && isEqual(entry.css, html, ranges)) {
                return entry.sheet;
            }
        }
        StyleSheet sheet = parse(html, ranges);
        if (sheet.size() <= MOST_RULES) {
            byte[][] css = new byte[ranges.length / 2][];
            for (int i = 0; i < css.length; i++) {
                css[i] = Arrays.copyOfRange(html, ranges[2 * i], ranges[2 * i + 1]);
            }
            entries[slot ^ 1] = entries[slot];
            entries[slot] = new Entry(css, sheet);
        }
        return sheet;
    }

    private StyleSheet parse(byte[] html, int[] ranges) {
        StyleSheet sheet = new StyleSheet(like);
        for (int i = 0; i < ranges.length; i += 2) {
            sheet.add(new String(html, ranges[i], ranges[i + 1] - ranges[i], StandardCharsets.ISO_8859_1));
        }
        return sheet;
    }

    private static boolean isEqual(byte[][] css, byte[] html, int[] ranges) {
        if (2 * css.length != ranges.length) {
            return false;
        }
        for (int i = 0; i < css.length; i++) {
            if (!Arrays.equals(css[i], 0, css[i].length, html, ranges[2 * i], ranges[2 * i + 1])) {
                return false;
            }
        }
        return true;
    }

    private static int slot(byte[] html, int[] ranges) {
        long hash = 0;
        for (int i = 0; i < ranges.length; i += 2) {
            hash = EightBytes.hash(hash, html, ranges[i], ranges[i + 1]);
        }
        return (int) (hash >>> 40) & (SLOTS - 1);
    }
}
