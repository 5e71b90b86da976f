package dev.weir.hash.url;

/**
 * A cache of ranges of a text that contain no stop byte. Many positions in one range ask for its end. The cache makes
 * each byte of the text visited about once, however many URLs start in one range. For one thread.
 */
final class Stretch {
    private final byte[] text;
    private final int stops;
    /** The range [from, to) known to contain no stop byte. */
    private int from;
    private int to;

    /**
     * @param stops bytes that end a range: kinds of {@link UrlBytes}
     */
    Stretch(byte[] text, int stops) {
        this.text = text;
        this.stops = stops;
    }

    /**
     * Returns the position of the first stop byte at or after {@code start}, or {@code limit} if there is none before
     * it.
     */
    int end(int start, int limit) {
        int i = start;
        while (i < limit) {
            if (i >= from && i < to) {
                i = to;
            } else if (UrlBytes.is(text[i], stops)) {
                break;
            } else {
                i++;
            }
        }
        if (start < from || start > to) {
            from = start;
            to = i;
        } else {
            to = Math.max(to, i);
        }
        return Math.min(i, limit);
    }
}
