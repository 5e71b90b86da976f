package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * BLAKE2b with 64 bytes of output (RFC 7693), optionally keyed. Every part of a mail and every text is digested whole,
 * so the code is written for speed: it reads whole blocks in place, and it keeps the sixteen words of the working state
 * in local variables, which the JVM holds in registers.
 */
public final class Blake2b {
    /** Length of a digest in bytes. */
    public static final int DIGEST_LENGTH = 64;

    private static final int LONGEST_KEY = 64;
    private static final int BLOCK = 128;
    private static final int ROUNDS = 12;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long[] IV = {0x6a09e667f3bcc908L, 0xbb67ae8584caa73bL, 0x3c6ef372fe94f82bL,
        0xa54ff53a5f1d36f1L, 0x510e527fade682d1L, 0x9b05688c2b3e6c1fL, 0x1f83d9abfb41bd6bL, 0x5be0cd19137e2179L};
    /**
     * Message schedule: the order in which each round mixes the words of a block. Rounds 10 and 11 repeat rounds 0 and
     * 1.
     */
    private static final byte[] SIGMA = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 14, 10, 4, 8, 9, 15, 13,
        6, 1, 12, 0, 2, 11, 7, 5, 3, 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4, 7, 9, 3, 1, 13, 12, 11, 14,
        2, 6, 5, 10, 4, 0, 15, 8, 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13, 2, 12, 6, 10, 0, 11, 8, 3, 4,
        13, 7, 5, 15, 14, 1, 9, 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11, 13, 11, 7, 14, 12, 1, 3, 9, 5, 0,
        15, 4, 8, 6, 2, 10, 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5, 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9,
        14, 3, 12, 13, 0};

    private final long[] h = IV.clone();
    /** Words of the current block. */
    private final long[] m = new long[16];
    /** Input since the last block. A full block waits here, because it may be the last one. */
    private final byte[] buffer = new byte[BLOCK];
    private int buffered;
    /** Bytes mixed in so far. Inputs are arrays, so 64 of the 128 bits of the counter are enough. */
    private long count;

    private Blake2b(byte[] key) {
        if (key.length > LONGEST_KEY) {
            throw new IllegalArgumentException("a BLAKE2b key has at most 64 bytes, not " + key.length);
        }
        h[0] ^= 0x01010000L | (long) key.length << 8 | DIGEST_LENGTH;
        if (key.length > 0) {
            System.arraycopy(key, 0, buffer, 0, key.length);
            buffered = BLOCK;
        }
    }

    /**
     * Returns the digest of the concatenated {@code parts}.
     *
     * @param key 0 to 64 bytes; an empty key selects the unkeyed function
     * @throws IllegalArgumentException if the key is longer than 64 bytes
     */
    public static byte[] digest512(byte[] key, byte[]... parts) {
        return digest512(key, Arrays.asList(parts));
    }

    /** As {@link #digest512(byte[], byte[]...)}. */
    public static byte[] digest512(byte[] key, List<byte[]> parts) {
        Blake2b digest = new Blake2b(key);
        for (byte[] part : parts) {
            digest.update(part, part.length);
        }
        return digest.end();
    }

    /** As {@link #digest512(byte[], byte[]...)}. */
    public static byte[] digest512(byte[] key, WordList words) {
        Blake2b digest = new Blake2b(key);
        digest.update(words.bytes, words.length());
        return digest.end();
    }

    /** Returns the 64-byte key for a configured key string: the unkeyed digest of its UTF-8 bytes. */
    public static byte[] keyOf(String configured) {
        return keyOf(configured.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the 64-byte key for a configured key of any length: its unkeyed digest. */
    public static byte[] keyOf(byte[] configured) {
        return digest512(new byte[0], configured);
    }

    private void update(byte[] data, int length) {
        int at = 0;
        int left = length;
        if (left > BLOCK - buffered) {
            int fill = BLOCK - buffered;
            System.arraycopy(data, 0, buffer, buffered, fill);
            count += BLOCK;
            compress(buffer, 0, 0);
            at = fill;
            left -= fill;
            buffered = 0;
            while (left > BLOCK) {
                count += BLOCK;
                compress(data, at, 0);
                at += BLOCK;
                left -= BLOCK;
            }
        }
        System.arraycopy(data, at, buffer, buffered, left);
        buffered += left;
    }

    private byte[] end() {
        Arrays.fill(buffer, buffered, BLOCK, (byte) 0);
        count += buffered;
        compress(buffer, 0, -1L);
        byte[] out = new byte[DIGEST_LENGTH];
        for (int i = 0; i < h.length; i++) {
            LONG.set(out, 8 * i, h[i]);
        }
        return out;
    }

    /**
     * Mixes in the block at {@code at}.
     *
     * @param last all ones for the last block, otherwise zero
     */
    private void compress(byte[] data, int at, long last) {
        for (int i = 0; i < m.length; i++) {
            m[i] = (long) LONG.get(data, at + 8 * i);
        }
        long v0 = h[0];
        long v1 = h[1];
        long v2 = h[2];
        long v3 = h[3];
        long v4 = h[4];
        long v5 = h[5];
        long v6 = h[6];
        long v7 = h[7];
        long v8 = IV[0];
        long v9 = IV[1];
        long v10 = IV[2];
        long v11 = IV[3];
        long v12 = IV[4] ^ count;
        long v13 = IV[5];
        long v14 = IV[6] ^ last;
        long v15 = IV[7];
        for (int round = 0; round < ROUNDS; round++) {
            int s = round % 10 * 16;
            // Mix the columns of the state, then the diagonals.
            v0 += v4 + m[SIGMA[s]];
            v12 = Long.rotateRight(v12 ^ v0, 32);
            v8 += v12;
            v4 = Long.rotateRight(v4 ^ v8, 24);
            v0 += v4 + m[SIGMA[s + 1]];
            v12 = Long.rotateRight(v12 ^ v0, 16);
            v8 += v12;
            v4 = Long.rotateRight(v4 ^ v8, 63);
            v1 += v5 + m[SIGMA[s + 2]];
            v13 = Long.rotateRight(v13 ^ v1, 32);
            v9 += v13;
            v5 = Long.rotateRight(v5 ^ v9, 24);
            v1 += v5 + m[SIGMA[s + 3]];
            v13 = Long.rotateRight(v13 ^ v1, 16);
            v9 += v13;
            v5 = Long.rotateRight(v5 ^ v9, 63);
            v2 += v6 + m[SIGMA[s + 4]];
            v14 = Long.rotateRight(v14 ^ v2, 32);
            v10 += v14;
            v6 = Long.rotateRight(v6 ^ v10, 24);
            v2 += v6 + m[SIGMA[s + 5]];
            v14 = Long.rotateRight(v14 ^ v2, 16);
            v10 += v14;
            v6 = Long.rotateRight(v6 ^ v10, 63);
            v3 += v7 + m[SIGMA[s + 6]];
            v15 = Long.rotateRight(v15 ^ v3, 32);
            v11 += v15;
            v7 = Long.rotateRight(v7 ^ v11, 24);
            v3 += v7 + m[SIGMA[s + 7]];
            v15 = Long.rotateRight(v15 ^ v3, 16);
            v11 += v15;
            v7 = Long.rotateRight(v7 ^ v11, 63);
            v0 += v5 + m[SIGMA[s + 8]];
            v15 = Long.rotateRight(v15 ^ v0, 32);
            v10 += v15;
            v5 = Long.rotateRight(v5 ^ v10, 24);
            v0 += v5 + m[SIGMA[s + 9]];
            v15 = Long.rotateRight(v15 ^ v0, 16);
            v10 += v15;
            v5 = Long.rotateRight(v5 ^ v10, 63);
            v1 += v6 + m[SIGMA[s + 10]];
            v12 = Long.rotateRight(v12 ^ v1, 32);
            v11 += v12;
            v6 = Long.rotateRight(v6 ^ v11, 24);
            v1 += v6 + m[SIGMA[s + 11]];
            v12 = Long.rotateRight(v12 ^ v1, 16);
            v11 += v12;
            v6 = Long.rotateRight(v6 ^ v11, 63);
            v2 += v7 + m[SIGMA[s + 12]];
            v13 = Long.rotateRight(v13 ^ v2, 32);
            v8 += v13;
            v7 = Long.rotateRight(v7 ^ v8, 24);
            v2 += v7 + m[SIGMA[s + 13]];
            v13 = Long.rotateRight(v13 ^ v2, 16);
            v8 += v13;
            v7 = Long.rotateRight(v7 ^ v8, 63);
            v3 += v4 + m[SIGMA[s + 14]];
            v14 = Long.rotateRight(v14 ^ v3, 32);
            v9 += v14;
            v4 = Long.rotateRight(v4 ^ v9, 24);
            v3 += v4 + m[SIGMA[s + 15]];
            v14 = Long.rotateRight(v14 ^ v3, 16);
            v9 += v14;
            v4 = Long.rotateRight(v4 ^ v9, 63);
        }
        h[0] ^= v0 ^ v8;
        h[1] ^= v1 ^ v9;
        h[2] ^= v2 ^ v10;
        h[3] ^= v3 ^ v11;
        h[4] ^= v4 ^ v12;
        h[5] ^= v5 ^ v13;
        h[6] ^= v6 ^ v14;
        h[7] ^= v7 ^ v15;
    }
}
