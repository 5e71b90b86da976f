package dev.weir.storage.waves;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * A Bloom filter of digests and shingles. It tells a check that is near nothing in a tenth of the time of a lookup in
 * an index: who shares t of 32 shingles with a signature finds at most 32 - t of its bits clear, so the search ends
 * with the first clear bit too many, for a new mail mostly the 16th.
 *
 * <p>What was added is always found. If the filter is full, a quarter of its bits is set, and one of 2,000 new mails
 * passes. One thread adds, others read.
 */
final class SignatureFilter {
    private static final int BITS_OF_A_SIGNATURE = 128;
    private static final int LEAST_SIGNATURES = 256;
    private static final int DIGEST_BITS = 4;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;
    private final int shift;
    private final long factor;
    private final long[] summands = new long[DIGEST_BITS + Signature.SLOTS];
    private int room;

    /**
     * Creates an empty filter.
     *
     * @param signatures how many it has room for at least
     */
    SignatureFilter(KeyedHash keyed, int signatures) {
        this.words = new long[bytes(signatures) / Long.BYTES];
        this.shift = Long.SIZE - Integer.numberOfTrailingZeros(words.length * Long.SIZE);
        this.room = words.length * Long.SIZE / BITS_OF_A_SIGNATURE;
        // Multiply-shift, as in the index: a stranger without the key cannot choose what passes.
        this.factor = keyed.hash(0, 0) | 1;
        for (int i = 0; i < summands.length; i++) {
            summands[i] = keyed.hash(0, i + 1L);
        }
    }

    /** Returns the bytes of a filter with room for some signatures. */
    static int bytes(int signatures) {
        return Integer.highestOneBit(2 * Math.max(LEAST_SIGNATURES, signatures) - 1) * BITS_OF_A_SIGNATURE / Byte.SIZE;
    }

    /** Returns the bytes of this filter. */
    int bytes() {
        return words.length * Long.BYTES;
    }

    /** Returns whether more would make it pass too much. */
    boolean isFull() {
        return room <= 0;
    }

    private int bit(int place, long value) {
        return (int) (((summands[place] + value) * factor) >>> shift);
    }

    private void set(int bit) {
        int at = bit / Long.SIZE;
        WORD.setOpaque(words, at, words[at] | (1L << bit));
    }

    private boolean isSet(int bit) {
        return (((long) WORD.getOpaque(words, bit / Long.SIZE) >>> bit) & 1) != 0;
    }

    void add(Digest digest, @Nullable Signature signature) {
        room--;
        for (int i = 0; i < DIGEST_BITS; i++) {
            set(bit(i, digest.word(i)));
        }
        for (int i = 0; i < Signature.SLOTS && signature != null; i++) {
            set(bit(DIGEST_BITS + i, signature.value(i)));
        }
    }

    /** Returns whether something that was added may be equal or near enough. */
    boolean mayHave(Lookup lookup) {
        int equal = 0;
        while (equal < DIGEST_BITS && isSet(bit(equal, lookup.digest()[equal]))) {
            equal++;
        }
        if (equal == DIGEST_BITS) {
            return true;
        }
        if (!lookup.hasShingles()) {
            return false;
        }
        long[] shingles = lookup.shingles();
        int differing = Signature.SLOTS - lookup.lowestThreshold();
        for (int i = 0; i < Signature.SLOTS; i++) {
            if (!isSet(bit(DIGEST_BITS + i, shingles[i])) && --differing < 0) {
                return false;
            }
        }
        return true;
    }
}
