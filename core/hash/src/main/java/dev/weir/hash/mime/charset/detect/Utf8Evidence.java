package dev.weir.hash.mime.charset.detect;

import java.util.Arrays;

/** Evidence for and against UTF-8: complete and broken sequences in the pairs. */
final class Utf8Evidence {
    /** Next state for a state and the upper half of a byte: 0 start, 1 to 6 within a sequence, 7 after an error. */
    private static final String[] NEXT = {"0000000077771124", "0700000000007777", "0700000033337777",
        "0700000000007777",
        "0700000055557777", "0700000066667777", "0700000000007777", "0700000077777777"};
    /** What a step completes: 1 an error, 2 to 4 a sequence of that length, 0 nothing. */
    private static final String[] COMPLETES = {"0000000011110000", "1111111122221111", "1111111100001111",
        "1111111133331111", "1111111100001111", "1111111100001111", "1111111144441111", "0100000011111111"};

    private int state;
    private final int[] counts = new int[5];
    private boolean seen;

    void add(PairList pairs, Candidates candidates) {
        int western = 0;
        for (int i = pairs.scored(); i < pairs.size(); i++) {
            int pair = (pairs.first(i) << 8) | pairs.second(i);
            // Ends of French and German words before a quotation mark, and a registered sign, look like UTF-8.
            western += pair == 0xc9ae || pair == 0xdf92 || pair == 0xdf93 || pair == 0xdfab ? 1 : 0;
            if (!pairs.continues(i)) {
                step(' ');
            }
            step(pairs.first(i));
            step(pairs.second(i));
        }
        candidates.add(western * Weights.GOOD_SEQUENCE, Encodings.LATIN_1, Encodings.WINDOWS_1252);
        int good = 2 * counts[2] + 3 * counts[3] + 4 * counts[4] - 3 * western;
        candidates.add(Encodings.UTF_8, good * Weights.GOOD_SEQUENCE - 2 * counts[1] * Weights.GENTLE);
        seen |= counts[2] + counts[3] + counts[4] > 0;
        Arrays.fill(counts, 0);
    }

    private void step(int b) {
        counts[COMPLETES[state].charAt(b >> 4) - '0']++;
        state = NEXT[state].charAt(b >> 4) - '0';
    }

    void end(Candidates candidates) {
        if (state != 0) {
            candidates.add(Encodings.UTF_8, -2 * Weights.GENTLE);
        }
        if (!seen) {
            candidates.add(Encodings.UTF_8, -8 * Weights.STRONG);
        }
    }
}
