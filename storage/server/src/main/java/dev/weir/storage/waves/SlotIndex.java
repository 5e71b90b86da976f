package dev.weir.storage.waves;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.index.Fingerprints;
import org.jspecify.annotations.Nullable;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * The mails of a table with a fixed number of slots. It finds a digest exactly, or else the most similar signature. For
 * one thread at a time.
 *
 * <p>The idea is that of {@link dev.weir.storage.index.HashIndex}: signatures that share more than 16 shingles share
 * both shingles of one of 16 pairs. But a table that is full replaces a mail for each new one, and changes of an index
 * that other threads read and that keeps what it is told cost several times a lookup. Here, a digest and each pair are
 * one number in a bucket of {@value #BUCKET}, which is a cache line, so a change costs no more than a lookup: the lines
 * are read together. There is room for {@value #ROOM} times as many numbers as there can be. A bucket that is full
 * nevertheless, once in some thousand, replaces a pseudo-random number in it. That mail is then found by its other
 * pairs. Many mails that share a pair fill its bucket, too, and replace each other there.
 *
 * <p>Numbers and signatures are outside the heap, whose usual bound is a quarter of the memory of the machine.
 *
 * <p>All hashes have a secret key, so a client cannot choose mails that fill a bucket but by a pair that they share.
 */
final class SlotIndex {
    /** What {@link #find} returns if there is nothing. */
    static final int NONE = -1;

    /** The result of {@link #equalSlots} after an exact hit. */
    static final int EXACT = Signature.SLOTS + 1;

    private static final int BUCKET = 16;
    private static final int PAIRS = Fingerprints.PAIRS;
    private static final int NUMBERS = 1 + PAIRS;
    private static final double ROOM = 2.5;
    private static final int HASH_BITS = Integer.SIZE;

    private static final int CACHE_LINE = 64;

    private final Fingerprints fingerprints;
    private final SplittableRandom random;

    /** Numbers in buckets: a slot from 1 on in the low bits, and a part of the hash above it. 0 is free. */
    private final MemorySegment numbers;
    private final long buckets;
    private final int slotBits;
    private final int slotMask;
    private final long[] digests;

    /** The fingerprints of each signature, two in a word; 0 without a signature. */
    private final MemorySegment signatures;

    /** The mail that is looked up, put or removed. */
    private final long[] words = new long[PAIRS];
    private final int[] hashes = new int[NUMBERS];

    private int equal;

    /** The sum of prefetched numbers. It keeps the compiler from removing the reads. */
    int touched;

    /** Creates an index without mails for slots from 0 on. */
    SlotIndex(KeyedHash keyed, int slots, SplittableRandom random) {
        this.random = random;
        this.fingerprints = new Fingerprints(keyed);
        this.buckets = buckets(slots);
        this.numbers = Arena.ofAuto().allocate(buckets * BUCKET * Integer.BYTES, CACHE_LINE);
        this.slotBits = HASH_BITS - Integer.numberOfLeadingZeros(slots);
        this.slotMask = (1 << slotBits) - 1;
        this.digests = new long[slots * Digest.WORDS];
        this.signatures = Arena.ofAuto().allocate((long) slots * PAIRS * Long.BYTES, CACHE_LINE);
    }

    private static long buckets(int slots) {
        return (long) (slots * (ROOM * NUMBERS / BUCKET)) + 1;
    }

    /** Returns the bytes of an index for some slots. */
    static long bytes(int slots) {
        return buckets(slots) * BUCKET * Integer.BYTES + (long) slots * (Digest.BYTES + PAIRS * Long.BYTES);
    }

    /** Returns the digest of a slot that is taken. */
    Digest digest(int slot) {
        return Digest.ofWords(digests, slot * Digest.WORDS);
    }

    /**
     * Looks for a digest, or else for the signature that shares the most shingles.
     *
     * @param digest eight words
     * @param shingles 32 values; null to look for the digest only
     * @param threshold how many shingles it must share at least
     * @return the slot, or {@link #NONE}; {@link #equalSlots} says more
     */
    int find(long[] digest, long @Nullable [] shingles, int threshold) {
        prepare(digest, shingles);
        int used = shingles == null ? 1 : NUMBERS;
        touch(used);
        int found = findDigest(digest);
        if (found != NONE) {
            equal = EXACT;
            return found;
        }
        equal = threshold - 1;
        for (int i = 1; i < used; i++) {
            int begin = begin(hashes[i]);
            int tag = tag(hashes[i]);
            for (int at = begin; at < begin + BUCKET; at++) {
                int number = number(at);
                int slot = (number & slotMask) - 1;
                if ((number & ~slotMask) == tag && slot >= 0 && slot != found) {
                    int shared = shared(slot);
                    if (shared > equal || (found != NONE && shared == equal && slot > found)) {
                        equal = shared;
                        found = slot;
                    }
                }
            }
        }
        return found;
    }

    /** Returns how many shingles the mail that {@link #find} found shares, or {@link #EXACT}. */
    int equalSlots() {
        return equal;
    }

    private int findDigest(long[] digest) {
        int begin = begin(hashes[0]);
        int tag = tag(hashes[0]);
        for (int at = begin; at < begin + BUCKET; at++) {
            int number = number(at);
            int slot = (number & slotMask) - 1;
            if ((number & ~slotMask) == tag && slot >= 0 && Arrays.equals(digests, slot * Digest.WORDS,
                    (slot + 1) * Digest.WORDS, digest, 0, Digest.WORDS)) {
                return slot;
            }
        }
        return NONE;
    }

    /** Returns how many shingles a slot shares with the mail that is looked up. */
    private int shared(int slot) {
        int shared = 0;
        for (int i = 0; i < PAIRS; i++) {
            long difference = signatures.getAtIndex(JAVA_LONG, slot * PAIRS + i) ^ words[i];
            shared += ((int) difference == 0 ? 1 : 0) + (difference >>> Integer.SIZE == 0 ? 1 : 0);
        }
        return shared;
    }

    /** Puts a mail into a slot that is free. */
    void put(int slot, long[] digest, long @Nullable [] shingles) {
        prepare(digest, shingles);
        System.arraycopy(digest, 0, digests, slot * Digest.WORDS, Digest.WORDS);
        MemorySegment.copy(words, 0, signatures, JAVA_LONG, signatureAt(slot), PAIRS);
        int used = shingles == null ? 1 : NUMBERS;
        touch(used);
        for (int i = 0; i < used; i++) {
            numbers.setAtIndex(JAVA_INT, place(begin(hashes[i])), tag(hashes[i]) | (slot + 1));
        }
    }

    private int place(int begin) {
        for (int at = begin; at < begin + BUCKET; at++) {
            if (number(at) == 0) {
                return at;
            }
        }
        return begin + random.nextInt(BUCKET);
    }

    /** Makes a slot free. */
    void remove(int slot) {
        MemorySegment.copy(signatures, JAVA_LONG, signatureAt(slot), words, 0, PAIRS);
        hash(digests, slot * Digest.WORDS);
        // No fingerprint is 0.
        int used = words[0] == 0 ? 1 : NUMBERS;
        touch(used);
        for (int i = 0; i < used; i++) {
            int begin = begin(hashes[i]);
            int number = tag(hashes[i]) | (slot + 1);
            for (int at = begin; at < begin + BUCKET; at++) {
                if (number(at) == number) {
                    numbers.setAtIndex(JAVA_INT, at, 0);
                    break;
                }
            }
        }
    }

    private void prepare(long[] digest, long @Nullable [] shingles) {
        if (shingles == null) {
            Arrays.fill(words, 0);
        } else {
            fingerprints.ofAll(shingles, words);
        }
        hash(digest, 0);
    }

    private void hash(long[] source, int at) {
        hashes[0] = (int) fingerprints.ofDigest(source, at, HASH_BITS);
        for (int i = 0; i < PAIRS; i++) {
            hashes[1 + i] = (int) fingerprints.ofPair(i, words[i], HASH_BITS);
        }
    }

    private int number(int at) {
        return numbers.getAtIndex(JAVA_INT, at);
    }

    private static long signatureAt(int slot) {
        return (long) slot * PAIRS * Long.BYTES;
    }

    private int begin(int hash) {
        return (int) (((hash & 0xffffffffL) * buckets) >>> HASH_BITS) * BUCKET;
    }

    /** Returns the bits of a hash that tell the numbers of a bucket apart: not those that chose the bucket. */
    private int tag(int hash) {
        return hash << slotBits;
    }

    /** Fetches the buckets together. */
    private void touch(int used) {
        int sum = 0;
        for (int i = 0; i < used; i++) {
            sum += number(begin(hashes[i]));
        }
        touched += sum;
    }
}
