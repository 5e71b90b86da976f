package dev.weir.storage.index;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;

/**
 * The keyed hash functions of the index: a fingerprint of 32 bits for each shingle, a hash for each pair of
 * fingerprints, and a hash for digests.
 *
 * <p>All are pair-multiply-shift (Thorup, "High speed hashing for integers and strings", 2015, section 3.5). Under a
 * random key they are strongly universal: if a client that does not know the key chooses two different inputs, their
 * hashes agree with a probability of at most two to the minus number of bits. One multiplication of 64 bits hashes 64
 * bits, which is much faster than SipHash. SipHash only derives the key.
 *
 * <p>A fingerprint replaces its shingle wherever slots are compared. Two different shingles count as equal once in 2³²
 * pairs. 0 means no shingle. Each new index draws a new key.
 */
public final class Fingerprints {
    /** Pairs of slots: 0 and 1, 2 and 3… Each pair has its own posting lists. */
    public static final int PAIRS = Signature.SLOTS / 2;

    private static final int KEYS_OF_A_PAIR = 3;

    private final long first;
    private final long second;
    private final long third;
    private final long[] pairKeys = new long[PAIRS * KEYS_OF_A_PAIR];
    private final long[] digestKeys = new long[2 * Digest.WORDS + 1];

    /** Creates hash functions whose secret comes from a keyed hash. */
    public Fingerprints(KeyedHash keyed) {
        long[] counter = new long[1];
        this.first = next(keyed, counter);
        this.second = next(keyed, counter);
        this.third = next(keyed, counter);
        for (int i = 0; i < pairKeys.length; i++) {
            pairKeys[i] = next(keyed, counter);
        }
        for (int i = 0; i < digestKeys.length; i++) {
            digestKeys[i] = next(keyed, counter);
        }
    }

    private static long next(KeyedHash keyed, long[] counter) {
        counter[0]++;
        return keyed.hash(counter, 0, 1);
    }

    /** Returns the fingerprint of a shingle; never 0. */
    int of(long shingle) {
        int hash = (int) (((first + (shingle >>> 32)) * (second + (shingle & 0xffffffffL)) + third) >>> 32);
        return hash == 0 ? 1 : hash;
    }

    /** Computes the fingerprints of 32 shingles as 16 words: even slots in the lower halves, odd slots in the upper. */
    public void ofAll(long[] shingles, long[] target) {
        for (int pair = 0; pair < PAIRS; pair++) {
            target[pair] = word(of(shingles[2 * pair]), of(shingles[2 * pair + 1]));
        }
    }

    /** Does the same for a signature that may have unknown slots; they get 0. */
    void ofKnown(Signature signature, long[] target) {
        for (int pair = 0; pair < PAIRS; pair++) {
            int even = signature.has(2 * pair) ? of(signature.value(2 * pair)) : 0;
            int odd = signature.has(2 * pair + 1) ? of(signature.value(2 * pair + 1)) : 0;
            target[pair] = word(even, odd);
        }
    }

    /** Does the same for shingles of which only those of a mask are known: bit 0 for the first. */
    void ofKnown(long[] shingles, int mask, long[] target) {
        for (int pair = 0; pair < PAIRS; pair++) {
            int known = mask >>> (2 * pair);
            int even = (known & 1) == 0 ? 0 : of(shingles[2 * pair]);
            int odd = (known & 2) == 0 ? 0 : of(shingles[2 * pair + 1]);
            target[pair] = word(even, odd);
        }
    }

    private static long word(int even, int odd) {
        return (even & 0xffffffffL) | ((long) odd << 32);
    }

    /** Returns whether both slots of a pair are known. */
    static boolean isWhole(long word) {
        return (int) word != 0 && word >>> 32 != 0;
    }

    /** Returns the hash of a pair of fingerprints with {@code bits} bits, 1..32. */
    public long ofPair(int pair, long word, int bits) {
        int at = pair * KEYS_OF_A_PAIR;
        return ((pairKeys[at] + (word >>> 32)) * (pairKeys[at + 1] + (word & 0xffffffffL))
                + pairKeys[at + 2]) >>> (64 - bits);
    }

    /** Returns the hash of a digest, eight words from {@code at} on, with {@code bits} bits, 1..32. */
    public long ofDigest(long[] words, int at, int bits) {
        long sum = digestKeys[2 * Digest.WORDS];
        for (int i = 0; i < Digest.WORDS; i++) {
            long word = words[at + i];
            sum += (digestKeys[2 * i] + (word >>> 32)) * (digestKeys[2 * i + 1] + (word & 0xffffffffL));
        }
        return sum >>> (64 - bits);
    }
}
