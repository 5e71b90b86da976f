package dev.weir.storage.index;

import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/**
 * What a lookup found; one object serves all lookups of a thread.
 *
 * <p>Flag 0 is the primary one: that with the highest value, the stored primary one on a tie. The others follow in no
 * particular order beyond the first seven, which are the highest in descending order of value.
 */
public final class Match {
    final long[] digest = new long[Digest.WORDS];
    private final int[] flags = new int[Rows.MAX_FLAGS];
    private final long[] values = new long[Rows.MAX_FLAGS];
    private final long[] times = new long[Rows.MAX_FLAGS];
    private int flagCount;
    private long renewed;
    private int equalSlots;
    private boolean primaryFirst;
    private boolean exact;

    Match() {}

    /** Equal slots of 32; 32 for an exact hit. */
    public int equalSlots() {
        return equalSlots;
    }

    /** Word {@code i} of 0..7 of the digest that matched. */
    public long digestWord(int i) {
        return digest[i];
    }

    /** Whether the digest itself was there, rather than a similar signature. */
    public boolean isExact() {
        return exact;
    }

    /** Copies the 64 bytes of the digest that matched. */
    public void copyDigest(byte[] target) {
        Digest.writeWords(digest, target, 0);
    }

    /** How many flags the hash has that are not expired; at least 1 after a hit. */
    public int flagCount() {
        return flagCount;
    }

    /** The flag at {@code i}. */
    public int flag(int i) {
        return flags[i];
    }

    /** The summed votes of the flag at {@code i}. */
    public long value(int i) {
        return values[i];
    }

    /** Seconds since the epoch of the last change of the flag at {@code i}. */
    public long time(int i) {
        return times[i];
    }

    /** Seconds since the epoch of the last renewal of the hash, 0 for none. */
    public long renewed() {
        return renewed;
    }

    void renewed(long time) {
        renewed = time;
    }

    void clear() {
        flagCount = 0;
        renewed = 0;
        equalSlots = 0;
        primaryFirst = false;
        exact = false;
    }

    void equalSlots(int count) {
        equalSlots = count;
    }

    void exact() {
        exact = true;
        equalSlots = Signature.SLOTS;
    }

    void add(int flag, long value, long time) {
        if (flagCount == flags.length) {
            return;
        }
        flags[flagCount] = flag;
        values[flagCount] = value;
        times[flagCount] = time;
        flagCount++;
    }

    /**
     * Puts the primary flag first and, after it, the {@code wanted} highest of the others in descending order of value
     * (lower flag first on a tie; the stored primary flag first of all).
     */
    void rank(int wanted) {
        // A partial selection sort: a handful out of a handful.
        for (int place = 0; place <= wanted && place < flagCount; place++) {
            int best = place;
            for (int i = place + 1; i < flagCount; i++) {
                boolean onTie = !(best == 0 && primaryFirst) && flags[i] < flags[best];
                if (values[i] > values[best] || (values[i] == values[best] && onTie)) {
                    best = i;
                }
            }
            swap(place, best);
        }
        // What is first now stays first.
        primaryFirst = true;
    }

    void primaryFirst() {
        primaryFirst = true;
    }

    private void swap(int a, int b) {
        int flag = flags[a];
        flags[a] = flags[b];
        flags[b] = flag;
        long value = values[a];
        values[a] = values[b];
        values[b] = value;
        long time = times[a];
        times[a] = times[b];
        times[b] = time;
    }

    @Override
    public String toString() {
        return "Match[equalSlots=" + equalSlots + ", flags=" + Arrays.toString(Arrays.copyOf(flags, flagCount))
                + ", values=" + Arrays.toString(Arrays.copyOf(values, flagCount)) + "]";
    }
}
