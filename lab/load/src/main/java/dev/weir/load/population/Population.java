package dev.weir.load.population;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

import dev.weir.wire.Protocol;
import dev.weir.wire.reply.Reply;

/**
 * The hashes that a storage holds. The digest, signature, flag and value of number {@code n} follow from the seed and
 * {@code n}, so the program that fills the storage and the one that queries it share nothing else. No two hashes have a
 * shingle in common. Immutable.
 */
public final class Population {
    /** The maximum flag. The minimum is 1. */
    public static final int FLAGS = 4;

    /** The maximum value. The minimum is 1. */
    public static final int MAX_VALUE = 1_000;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int DIGEST_WORDS = Protocol.DIGEST / Long.BYTES;

    private final long start;
    private final long size;

    /**
     * Creates a population with the numbers 0 to {@code size - 1}.
     *
     * @throws IllegalArgumentException if the size is negative
     */
    public Population(long seed, long size) {
        if (size < 0) {
            throw new IllegalArgumentException("a population of " + size + " hashes");
        }
        // Without mixing, the populations of adjacent seeds would be shifted copies of each other.
        this.start = Noise.mix(seed ^ 0x5eed_0000_0000_0001L);
        this.size = size;
    }

    /** Returns the number of hashes. */
    public long size() {
        return size;
    }

    /** Returns the flag of a hash, 1..{@link #FLAGS}. */
    public int flag(long number) {
        return 1 + (int) Noise.below(word(stream(number), DIGEST_WORDS + Protocol.SHINGLES), FLAGS);
    }

    /** Returns the value of a hash, 1..{@link #MAX_VALUE}. */
    public int value(long number) {
        return 1 + (int) Noise.below(word(stream(number), DIGEST_WORDS + Protocol.SHINGLES + 1), MAX_VALUE);
    }

    /** Returns a new array with the digest of a hash. Any number has one, also beyond the size. */
    public byte[] digest(long number) {
        byte[] digest = new byte[Protocol.DIGEST];
        digest(number, digest, 0);
        return digest;
    }

    /** Writes the {@link Protocol#DIGEST} bytes of the digest of a hash. Any number has one, also beyond the size. */
    public void digest(long number, byte[] target, int offset) {
        digestOf(stream(number), target, offset);
    }

    /** Returns whether these bytes are the digest of a hash. */
    public boolean isDigest(long number, byte[] bytes, int offset) {
        long stream = stream(number);
        for (int i = 0; i < DIGEST_WORDS; i++) {
            if ((long) LONG.get(bytes, offset + i * Long.BYTES) != word(stream, i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a reply has the flag and the value of a hash. */
    public boolean isAnswer(long number, Reply reply) {
        return reply.isMatch() && reply.flag() == flag(number) && reply.value() == value(number);
    }

    /** Fills in the {@link Protocol#SHINGLES} shingles of a hash. */
    public void shingles(long number, long[] target) {
        shinglesOf(stream(number), target, -1);
    }

    /** Returns the random stream from which the words of a hash are derived. */
    public long stream(long number) {
        return Noise.at(start, number);
    }

    /** Writes the digest of a stream. */
    public static void digestOf(long stream, byte[] target, int offset) {
        for (int i = 0; i < DIGEST_WORDS; i++) {
            LONG.set(target, offset + i * Long.BYTES, word(stream, i));
        }
    }

    /** Fills in the shingles whose bit is set. */
    public static void shinglesOf(long stream, long[] target, int mask) {
        for (int i = 0; i < Protocol.SHINGLES; i++) {
            if ((mask & (1 << i)) != 0) {
                target[i] = word(stream, DIGEST_WORDS + i);
            }
        }
    }

    private static long word(long stream, int word) {
        return Noise.at(stream, word);
    }
}
