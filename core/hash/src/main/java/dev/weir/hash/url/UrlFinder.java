package dev.weir.hash.url;

import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * A search for URLs, addresses and telephone numbers in running text (docs/reference/hashing.md#urls), from left to
 * right and without overlaps. Every form of a URL has a {@code :}, {@code .} or {@code @} near its start, and the
 * search examines only those positions, in one pass. All backward searches are bounded, so the time is linear.
 *
 * <p>Immutable and thread-safe.
 */
public final class UrlFinder {
    /** Number of bytes that {@link #atStart} examines, more than it takes to recognize a URL. */
    private static final int START_WINDOW = 4096;

    private final PublicSuffixes suffixes;

    public UrlFinder(PublicSuffixes suffixes) {
        this.suffixes = suffixes;
    }

    /**
     * Returns all URLs in {@code text}, in order and without overlaps.
     *
     * @param text UTF-8
     * @param length number of bytes of {@code text} to search
     * @param newlines ascending offsets at which lines ended before they were joined
     * @param max maximum number of URLs
     * @param effort remaining budget of the mail
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

    /** Returns the URL or address at the start of {@code text}, or null. Always uses the full search. */
    public @Nullable FoundUrl atStart(byte[] text, Effort effort) {
        int length = Math.min(text.length, START_WINDOW);
        UrlScan scan = new UrlScan(text, length, new int[0], UrlSearch.FULL, suffixes, effort);
        FoundUrl first = scan.next(Math.min(length, UrlScan.FIRST_MARK));
        return first != null && first.position() == 0 ? first : null;
    }
}
