package dev.weir.hash.url;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * Finds URLs, addresses and telephone numbers in running text (docs/reference/hashing.md#urls), from left to right;
 * nothing is searched for inside of what was found. One pass: every way to write a URL has a {@code :}, {@code .} or
 * {@code @} near its start, and only those are looked at. All backward looks are bounded, so time is linear in the
 * text.
 *
 * <p>Immutable and thread-safe.
 */
public final class UrlFinder {
    /** How much of the text {@link #atStart} looks at, in bytes: a URL shows what it is much earlier. */
    private static final int START_WINDOW = 4096;

    private final PublicSuffixes suffixes;

    public UrlFinder(PublicSuffixes suffixes) {
        this.suffixes = suffixes;
    }

    /**
     * All URLs in {@code text}, in order, without overlaps.
     *
     * @param text UTF-8
     * @param length bytes of {@code text} that count
     * @param newlines where lines ended before they were joined, ascending offsets
     * @param max how many to find at most
     * @param effort what the mail may still cost
     */
    public List<FoundUrl> find(byte[] text, int length, int[] newlines, UrlSearch search, int max, Effort effort) {
        UrlScan scan = new UrlScan(text, length, newlines, search, suffixes, effort);
        List<FoundUrl> found = new ArrayList<>();
        while (found.size() < max) {
            FoundUrl next = scan.next();
            if (next == null) {
                break;
            }
            found.add(next);
        }
        return found;
    }

    /** The URL or address that {@code text} begins with, null if it begins with none. Always a full search. */
    public @Nullable FoundUrl atStart(byte[] text, Effort effort) {
        int length = Math.min(text.length, START_WINDOW);
        UrlScan scan = new UrlScan(text, length, new int[0], UrlSearch.FULL, suffixes, effort);
        FoundUrl first = scan.next(Math.min(length, UrlScan.FIRST_MARK));
        return first != null && first.position() == 0 ? first : null;
    }
}
