package dev.weir.storage.index;

import java.util.Arrays;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/**
 * The hash that a lookup found. One object serves all lookups of a thread.
 *
 * <p>The flag at 0 is the primary one. It has the highest value; on a tie it is the stored primary flag. The next seven
 * are the highest others in descending order of value. The rest has no particular order.
 */
public final class IndexMatch {
    final long[] digest = new long[Digest.WORDS];
    private final int[] flags = new int[RecordTable.MAX_FLAGS];
    private final long[] values = new long[RecordTable.MAX_FLAGS];
    private final long[] times = new long[RecordTable.MAX_FLAGS];
    private int flagCount;
    private long renewed;
    private int equalSlots;
    private boolean primaryFirst;
    private boolean exact;

    /** The id of its record, if it has a signature; otherwise 0. */
    int signed;

    /** Whether an exact hit has no shingle in common with the lookup. */
    boolean otherShingles;

    private long ctaDomains;
    private long allDomains;
    private long features;

    IndexMatch() {}

    /** Returns the number of equal slots; 32 for an exact hit. */
    public int equalSlots() {
        return equalSlots;
    }

    /** Returns word {@code i} of 0..7 of the digest that matched. */
    public long digestWord(int i) {
        return digest[i];
    }

    /** Returns whether the digest itself matched, not only a similar signature. */
    public boolean isExact() {
        return exact;
    }

    /** Copies the 64 bytes of the digest that matched. */
    public void copyDigest(byte[] target) {
        Digest.writeWords(digest, target, 0);
    }

    /** Returns the number of flags that are not expired; at least 1 after a hit. */
    public int flagCount() {
        return flagCount;
    }

    /** Returns the flag at {@code i}. */
    public int flag(int i) {
        return flags[i];
    }

    /** Returns the summed weights of the flag at {@code i}. */
    public long value(int i) {
        return values[i];
    }

    /** Returns the time of the last change of the flag at {@code i}, in seconds since the epoch. */
    public long time(int i) {
        return times[i];
    }

    /** Returns the time of the last renewal in seconds since the epoch, or 0. */
    public long renewed() {
        return renewed;
    }

    /**
     * Returns whether this is an exact hit whose signature has no shingle in common with the lookup: the two come from
     * different algorithms or keys. Known only if the lookup compares.
     */
    public boolean hasOtherShingles() {
        return otherShingles;
    }

    /** Returns whether the hash has side hashes. They are read only if the lookup wants them. */
    public boolean hasSides() {
        return features != 0;
    }

    /** Returns the hash of the call-to-action domains, or 0. */
    public long ctaDomains() {
        return ctaDomains;
    }

    /** Returns the hash of all domains, or 0. */
    public long allDomains() {
        return allDomains;
    }

    /** Returns the hash of the features. */
    public long features() {
        return features;
    }

    /** Reads the side hashes, if there are some. */
    void readSides(SignatureTable signatures) {
        if (signed != 0) {
            ctaDomains = signatures.ctaDomains(signed);
            allDomains = signatures.allDomains(signed);
            features = signatures.features(signed);
        }
    }

    /** Returns whether one of some flags has a value above 0. */
    boolean hasOneOf(int[] wanted, int count) {
        for (int i = 0; i < flagCount; i++) {
            for (int j = 0; j < count; j++) {
                if (flags[i] == wanted[j] && values[i] > 0) {
                    return true;
                }
            }
        }
        return false;
    }

    void renewed(long time) {
        renewed = time;
    }

    void clear() {
        signed = 0;
        otherShingles = false;
        features = 0;
        flagCount = 0;
        renewed = 0;
        equalSlots = 0;
        primaryFirst = false;
        exact = false;
    }

    /** Leaves out the flags for which so few equal slots are no near duplicate. */
    void keepNear(FlagThresholds thresholds, int others) {
        int kept = 0;
        primaryFirst &= flagCount > 0 && thresholds.of(flags[0], others) <= equalSlots;
        for (int i = 0; i < flagCount; i++) {
            if (thresholds.of(flags[i], others) <= equalSlots) {
                flags[kept] = flags[i];
                values[kept] = values[i];
                times[kept] = times[i];
                kept++;
            }
        }
        flagCount = kept;
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
     * Puts the primary flag first and the {@code wanted} highest other flags after it, in descending order of value. On
     * a tie, the stored primary flag goes first, then the lower flag.
     */
    void rank(int wanted) {
        // A partial selection sort: the arrays are short.
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
        // The first flag stays first.
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
        return "IndexMatch[equalSlots=" + equalSlots + ", flags=" + Arrays.toString(Arrays.copyOf(flags, flagCount))
                + ", values=" + Arrays.toString(Arrays.copyOf(values, flagCount)) + "]";
    }
}
