package dev.weir.hash.url;

/**
 * The stretches of a text without some bytes. Where one ends is asked for from many places inside of it, and
 * remembered: each byte of a text is looked at about once, however many URLs begin in one stretch. For one thread.
 */
final class Stretch {
    private final byte[] text;
    private final int stops;
    /** What is known to have no stop: [from, to). */
    private int from;
    private int to;

    /** @param stops what ends a stretch: kinds of {@link UrlBytes} */
    Stretch(byte[] text, int stops) {
        this.text = text;
        this.stops = stops;
    }

    /** The first stop at {@code start} or behind it, {@code limit} if there is none before that. */
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
