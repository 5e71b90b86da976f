package dev.weir.hash.text;

/** Eight characters at once, the first in the lowest byte: nearly all words are of letters and digits and short. */
final class AsciiWord {
    /** What has other characters than ASCII letters and digits. No eight letters and digits are this number. */
    static final long OTHER = -1;

    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    private AsciiWord() {}

    /**
     * The first {@code count} letters and digits in lower case, zeros behind them.
     *
     * @param count 1..8
     * @return {@link #OTHER} if something else is among them
     */
    static long lower(long eight, int count) {
        long kept = -1L >>> (Long.SIZE - count * Byte.SIZE);
        long text = eight & kept;
        if ((text & TOPS) != 0) {
            return OTHER;
        }
        // The top bit of a byte, which is free, says on which side of a bound the byte is.
        long lower = text | (within(text, 'A', 'Z') >>> 2);
        long good = within(lower, 'a', 'z') | within(lower, '0', '9');
        return good == (kept & TOPS) ? lower : OTHER;
    }

    /** The top bit of each byte from {@code first} to {@code last}. */
    private static long within(long text, int first, int last) {
        return (text + (0x80 - first) * ONES) & ~(text + (0x7f - last) * ONES) & TOPS;
    }
}
