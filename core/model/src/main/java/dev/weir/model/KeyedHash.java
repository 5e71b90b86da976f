package dev.weir.model;

import java.security.SecureRandom;

/**
 * SipHash-1-3 over whole 64-bit words.
 *
 * <p>Clients choose the contents of hash tables: digests, shingles, client keys and addresses. A client that can
 * predict an unkeyed hash, or knows collisions that hold for every seed, could put all its entries into one bucket.
 * Every request would then walk a long chain, and other entries would be evicted. Each table therefore draws its own
 * secret key.
 *
 * <p>Reference: Aumasson, Bernstein, "SipHash: a fast short-input PRF". The hash tables of Rust and Python also use one
 * compression round and three finalization rounds.
 */
public final class KeyedHash {
    private static final long V0 = 0x736f6d6570736575L;
    private static final long V1 = 0x646f72616e646f6dL;
    private static final long V2 = 0x6c7967656e657261L;
    private static final long V3 = 0x7465646279746573L;

    private final long k0;
    private final long k1;

    /** Creates a hash with a given key, for tests that must be repeatable. */
    public KeyedHash(long k0, long k1) {
        this.k0 = k0;
        this.k1 = k1;
    }

    /** Creates a hash with a random key. */
    public static KeyedHash random() {
        return random(new SecureRandom());
    }

    /** Creates a hash with a key drawn from a random source. */
    public static KeyedHash random(SecureRandom random) {
        return new KeyedHash(random.nextLong(), random.nextLong());
    }

    /** Returns the hash of two words, equal to that of an array with these words. */
    public long hash(long first, long second) {
        long v0 = V0 ^ k0;
        long v1 = V1 ^ k1;
        long v2 = V2 ^ k0;
        long v3 = V3 ^ k1;
        for (int i = 0; i <= 2; i++) {
            long m = i == 0 ? first : i == 1 ? second : (2L * Long.BYTES) << 56;
            v3 ^= m;
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= m;
        }
        return finish(v0, v1, v2, v3);
    }

    /** Returns the hash of {@code count} words in little-endian byte order. */
    public long hash(long[] words, int offset, int count) {
        long v0 = V0 ^ k0;
        long v1 = V1 ^ k1;
        long v2 = V2 ^ k0;
        long v3 = V3 ^ k1;
        for (int i = 0; i <= count; i++) {
            // The last word contains only the length in bytes, in its top byte.
            long m = i < count ? words[offset + i] : ((long) count * Long.BYTES) << 56;
            v3 ^= m;
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= m;
        }
        return finish(v0, v1, v2, v3);
    }

    /** Returns the hash of bytes: SipHash-1-3 as it is defined. */
    public long hash(byte[] bytes, int from, int end) {
        long v0 = V0 ^ k0;
        long v1 = V1 ^ k1;
        long v2 = V2 ^ k0;
        long v3 = V3 ^ k1;
        long m = 0;
        for (int i = 0; i <= end - from; i++) {
            boolean last = i == end - from;
            // The last word ends with the length.
            m |= last ? (long) i << 56 : (bytes[from + i] & 0xffL) << (i % Long.BYTES * Byte.SIZE);
            if (last || i % Long.BYTES == Long.BYTES - 1) {
                v3 ^= m;
                v0 += v1;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v3;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 += v3;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
                v0 ^= m;
                m = 0;
            }
        }
        return finish(v0, v1, v2, v3);
    }

    private static long finish(long w0, long w1, long w2, long w3) {
        long v0 = w0;
        long v1 = w1;
        long v2 = w2 ^ 0xff;
        long v3 = w3;
        for (int i = 0; i < 3; i++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
