package dev.weir.wire.box;

import dev.weir.wire.LittleEndian;

/**
 * Poly1305 (RFC 8439, 2.5) in plain Java, without allocation. Numbers modulo 2^130 - 5 consist of two 64-bit words and
 * a remainder. The upper four bits of both words of the key are zero, so sums of products do not overflow 128 bits. The
 * lower two bits of the second word are zero too, so five quarters of it is an integer. No branch depends on data.
 */
final class Poly1305 {
    private static final int BLOCK = 16;

    private long r0;
    private long r1;
    private long pad01;
    private long pad23;
    private long h0;
    private long h1;
    private long h2;
    private final byte[] last = new byte[BLOCK];
    private long tag01;
    private long tag23;

    /** Computes the tag of bytes with the key in {@code key[0..7]}. Then call {@link #writeTag} or {@link #verify}. */
    void mac(int[] key, byte[] bytes, int offset, int length) {
        start(key);
        int whole = length & -BLOCK;
        // The bit after a full block of 128 bits.
        blocks(bytes, offset, whole, 1);
        int rest = length - whole;
        if (rest > 0) {
            System.arraycopy(bytes, offset + whole, last, 0, rest);
            last[rest] = 1;
            for (int i = rest + 1; i < BLOCK; i++) {
                last[i] = 0;
            }
            blocks(last, 0, BLOCK, 0);
        }
        finish();
    }

    private void start(int[] key) {
        r0 = word(key, 0) & 0x0ffffffc0fffffffL;
        r1 = word(key, 2) & 0x0ffffffc0ffffffcL;
        pad01 = word(key, 4);
        pad23 = word(key, 6);
        h0 = 0;
        h1 = 0;
        h2 = 0;
    }

    private void blocks(byte[] bytes, int offset, int length, int top) {
        long q0 = r0;
        long q1 = r1;
        // 2^130 equals 5, so the part of a product above 2^130 is multiplied by five and added. 2^128 is a quarter of
        // 2^130.
        long s1 = q1 + (q1 >>> 2);
        long a0 = h0;
        long a1 = h1;
        long a2 = h2;
        for (int at = offset; at < offset + length; at += BLOCK) {
            long low = LittleEndian.getLong(bytes, at);
            long high = LittleEndian.getLong(bytes, at + Long.BYTES);
            long b0 = a0 + low;
            long c0 = carry(a0, low, b0);
            long b1 = a1 + high;
            long c1 = carry(a1, high, b1);
            long d1 = b1 + c0;
            long b2 = a2 + c1 + ((b1 & ~d1) >>> 63) + top;

            long x0 = b0 * q0;
            long y0 = d1 * s1;
            long e0 = x0 + y0;
            long f0 = Math.unsignedMultiplyHigh(b0, q0) + Math.unsignedMultiplyHigh(d1, s1) + carry(x0, y0, e0);
            long x1 = b0 * q1;
            long y1 = d1 * q0;
            long z1 = x1 + y1;
            long w1 = b2 * s1;
            long e1 = z1 + w1;
            long f1 = Math.unsignedMultiplyHigh(b0, q1) + Math.unsignedMultiplyHigh(d1, q0) + carry(x1, y1, z1)
                    + carry(z1, w1, e1);
            long g1 = e1 + f0;
            long g2 = b2 * q0 + f1 + carry(e1, f0, g1);

            long back = (g2 >>> 2) + (g2 & ~3L);
            a0 = e0 + back;
            long c = carry(e0, back, a0);
            a1 = g1 + c;
            a2 = (g2 & 3) + ((g1 & ~a1) >>> 63);
        }
        h0 = a0;
        h1 = a1;
        h2 = a2;
    }

    private void finish() {
        // If h + 5 reaches 2^130, its lower 130 bits are the reduced number.
        long g0 = h0 + 5;
        long g1 = h1 + carry(h0, 5, g0);
        long g2 = h2 + ((h1 & ~g1) >>> 63);
        long reduced = -(g2 >>> 2);
        long low = choose(reduced, g0, h0);
        long high = choose(reduced, g1, h1);
        tag01 = low + pad01;
        tag23 = high + pad23 + carry(low, pad01, tag01);
    }

    /** Returns the carry of an unsigned addition, without a branch. */
    private static long carry(long one, long other, long sum) {
        return ((one & other) | ((one | other) & ~sum)) >>> 63;
    }

    private static long word(int[] key, int index) {
        return Integer.toUnsignedLong(key[index]) | (long) key[index + 1] << 32;
    }

    private static long choose(long mask, long whereSet, long whereClear) {
        return (whereSet & mask) | (whereClear & ~mask);
    }

    void writeTag(byte[] out, int offset) {
        LittleEndian.putLong(out, offset, tag01);
        LittleEndian.putLong(out, offset + Long.BYTES, tag23);
    }

    /** Compares the tag with bytes in constant time. */
    boolean verify(byte[] bytes, int offset) {
        long wrong = LittleEndian.getLong(bytes, offset) ^ tag01;
        wrong |= LittleEndian.getLong(bytes, offset + Long.BYTES) ^ tag23;
        return wrong == 0;
    }
}
