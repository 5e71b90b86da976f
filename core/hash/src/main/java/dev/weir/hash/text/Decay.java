package dev.weir.hash.text;

import dev.weir.hash.shingle.MumHash;

/**
 * A filter that thins out long texts (docs/reference/hashing.md#word-boundaries). Beyond a set number of tokens it
 * keeps further words with a probability that shrinks with the number of remaining bytes. The choice is pseudo-random
 * but depends only on the text: the state is a hash of the long words so far, and a linear congruential generator
 * advances it for each later word.
 */
final class Decay {
    private static final long LCG_MULTIPLIER = 2862933555777941757L;
    private static final long LCG_INCREMENT = 3037000493L;
    /** Assumed length of a word and its space in bytes. */
    private static final double BYTES_PER_WORD = 6.0;

    private final int threshold;
    private final int textLength;
    private long state;
    private long limit;
    private boolean decaying;

    /**
     * @param threshold number of tokens after which words are dropped; 0 keeps all
     * @param textLength length of the stripped text in bytes
     */
    Decay(int threshold, int textLength) {
        this.threshold = threshold;
        this.textLength = textLength;
    }

    /**
     * Decides whether to keep the next word.
     *
     * @param tokens tokens kept so far, including URLs
     * @param end end of the word's segment
     */
    boolean keeps(byte[] text, int from, int to, int tokens, int end) {
        if (threshold <= 0) {
            return true;
        }
        if (decaying) {
            state = state * LCG_MULTIPLIER + LCG_INCREMENT;
            return Long.compareUnsigned(state, limit) <= 0;
        }
        if (to - from >= 8) {
            state = MumHash.step(state, firstEight(text, from));
        }
        if (tokens > threshold && end < textLength) {
            decaying = true;
            state = MumHash.finish(state);
            double share = Math.floor(threshold / ((textLength - end) / BYTES_PER_WORD) * 10.0) / 10.0;
            limit = share >= 1.0 ? -1L : unsigned(share);
        }
        return true;
    }

    /** Returns {@code share} · 2⁶⁴ as an unsigned number; {@code share} is in [0, 1). */
    private static long unsigned(double share) {
        double half = share * 0x1p63;
        // The result is exact: a double up to 2^63 doubles without rounding, and its high bits are all that it has.
        return (long) half << 1;
    }

    private static long firstEight(byte[] s, int from) {
        long value = 0;
        for (int i = 7; i >= 0; i--) {
            value = (value << 8) | (s[from + i] & 0xff);
        }
        return value;
    }
}
