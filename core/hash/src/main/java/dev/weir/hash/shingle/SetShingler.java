package dev.weir.hash.shingle;

/**
 * A min-hash over a set: 32 shingles, each the unsigned minimum of one permutation of the members under one sub-key.
 * The share of equal shingles of two sets approximates the share of members that they have in common (Broder, 1997).
 *
 * <p>In contrast to {@link Shingler}, the members are 64-bit hashes, and order and repetition do not matter. A member
 * costs one multiplication for each shingle. Immutable and thread-safe.
 */
public final class SetShingler {
    private final long[] masks;
    private final long[] factors;

    /**
     * @param shinglesKey 16 bytes
     * @throws IllegalArgumentException if the key has another length
     */
    public SetShingler(byte[] shinglesKey) {
        SubKeys keys = new SubKeys(shinglesKey);
        masks = keys.low;
        factors = keys.high.clone();
        for (int i = 0; i < factors.length; i++) {
            // Odd factors make the multiplication a permutation.
            factors[i] |= 1;
        }
    }

    /**
     * Returns the shingles of a set.
     *
     * @param members hashes of the members, well mixed
     * @param count number of members in the array, at least 1
     * @return 32 values in sub-key order
     */
    public long[] shingles(long[] members, int count) {
        long[] minimum = new long[SubKeys.COUNT];
        for (int key = 0; key < minimum.length; key++) {
            long mask = masks[key];
            long factor = factors[key];
            // Unsigned comparison by flipping the sign.
            long best = Long.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                best = Math.min(best, ((members[i] ^ mask) * factor) ^ Long.MIN_VALUE);
            }
            minimum[key] = best ^ Long.MIN_VALUE;
        }
        return minimum;
    }
}
