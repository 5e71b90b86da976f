package dev.weir.hash.mime.charset.detect;

/** Evidence for binary data, UTF-16 and UTF-32: how widely the pairs are spread, and how dense they are. */
final class BinaryEvidence {
    private static final int QUADRANTS = 4;
    private static final int MANY_BUCKETS = 11;
    private static final int ENOUGH_PAIRS = 8;
    private static final int[] WIDE = {Encodings.UTF_16BE, Encodings.UTF_16LE, Encodings.UTF_32BE, Encodings.UTF_32LE};

    private int quadrantsSeen;
    private int bucketsSeen;

    /** Notes a pair and returns whether one with the same upper bits was noted before. */
    boolean isRepeated(int first, int second) {
        int bucket = 1 << bucket(first, second);
        boolean repeated = (bucketsSeen & bucket) != 0;
        bucketsSeen |= bucket;
        return repeated;
    }

    private static int bucket(int first, int second) {
        return ((first & 0xe0) >> 3) | ((second & 0xc0) >> 6);
    }

    void add(int first, int second, Candidates candidates) {
        int quadrant = 1 << (((first & 0x80) >> 6) | ((second & 0x80) >> 7));
        if ((quadrantsSeen & quadrant) == 0) {
            quadrantsSeen |= quadrant;
            if (Integer.bitCount(quadrantsSeen) == QUADRANTS) {
                candidates.add(Encodings.BINARY, 2 * Weights.STRONG);
            }
        }
        if (!isRepeated(first, second) && Integer.bitCount(bucketsSeen) >= MANY_BUCKETS) {
            candidates.add(Encodings.BINARY, 4 * Weights.STRONG);
        }
    }

    /** Scores the pairs 0000 and FFFF, which UTF-16 and mostly UTF-32 forbid. */
    static void addDouble(int value, int offset, Candidates candidates) {
        candidates.add(-Weights.STRONG, Encodings.UTF_16BE, Encodings.UTF_16LE);
        if (value != 0) {
            candidates.add(-Weights.STRONG, Encodings.UTF_32BE, Encodings.UTF_32LE);
            return;
        }
        switch (offset & 3) {
            case 0 -> {
                candidates.add(Encodings.UTF_32LE, -Weights.STRONG);
                candidates.add(Encodings.UTF_32BE, Weights.GENTLE);
            }
            case 1, 2 -> {
                candidates.add(Encodings.UTF_32BE, -Weights.STRONG);
                candidates.add(Encodings.UTF_32LE, Weights.GENTLE);
            }
            default -> {
            }
        }
    }

    /** Compares the pairs with the length of the text up to {@code end}. */
    void addDensity(PairList pairs, int end, Candidates candidates) {
        int span = end - pairs.offset(0);
        int bytes = pairs.size() * 2;
        if (bytes * 16 < span) {
            addAll(-4 * Weights.STRONG, candidates);
        }
        if (pairs.size() >= ENOUGH_PAIRS && bytes * 4 >= span && Integer.bitCount(quadrantsSeen) >= 2) {
            addAll(Weights.GENTLE, candidates);
        }
    }

    private static void addAll(int amount, Candidates candidates) {
        candidates.add(Encodings.BINARY, amount);
        candidates.add(amount, WIDE);
    }

    void end(Candidates candidates) {
        int missing = QUADRANTS - Integer.bitCount(quadrantsSeen);
        if (missing > 0) {
            candidates.add(Encodings.BINARY, missing == 1 ? -2 * Weights.STRONG : -4 * Weights.STRONG);
        }
    }
}
