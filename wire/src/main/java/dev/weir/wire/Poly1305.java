package dev.weir.wire;

/**
 * Poly1305 (RFC 8439, 2.5) in plain Java without allocation. Numbers modulo 2^130 - 5 are five limbs of 26 bits in
 * longs, so that a product of limbs and the sum of five products stay below 2^63. No branch depends on data.
 */
final class Poly1305 {
    private static final int MASK = 0x3ffffff;
    private static final int BLOCK = 16;
    /** The bit above a full block of 128 bits, in the top limb. */
    private static final int FULL = 1 << 24;

    private long r0;
    private long r1;
    private long r2;
    private long r3;
    private long r4;
    private long pad01;
    private long pad23;
    private long h0;
    private long h1;
    private long h2;
    private long h3;
    private long h4;
    private final byte[] last = new byte[BLOCK];
    private long tag01;
    private long tag23;

    /** Computes the tag of bytes under the key in {@code key[0..7]}; {@link #writeTag} and {@link #verify} use it. */
    void mac(int[] key, byte[] bytes, int offset, int length) {
        start(key);
        int whole = length & -BLOCK;
        blocks(bytes, offset, whole, FULL);
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
        long low = word(key, 0);
        long high = word(key, 2);
        low &= 0x0ffffffc0fffffffL;
        high &= 0x0ffffffc0ffffffcL;
        r0 = low & MASK;
        r1 = low >>> 26 & MASK;
        r2 = (low >>> 52 | high << 12) & MASK;
        r3 = high >>> 14 & MASK;
        r4 = high >>> 40;
        pad01 = word(key, 4);
        pad23 = word(key, 6);
        h0 = 0;
        h1 = 0;
        h2 = 0;
        h3 = 0;
        h4 = 0;
    }

    private void blocks(byte[] bytes, int offset, int length, int top) {
        long s1 = r1 * 5;
        long s2 = r2 * 5;
        long s3 = r3 * 5;
        long s4 = r4 * 5;
        long a0 = h0;
        long a1 = h1;
        long a2 = h2;
        long a3 = h3;
        long a4 = h4;
        long q0 = r0;
        long q1 = r1;
        long q2 = r2;
        long q3 = r3;
        long q4 = r4;
        for (int at = offset; at < offset + length; at += BLOCK) {
            long low = Bytes.getLong(bytes, at);
            long high = Bytes.getLong(bytes, at + Long.BYTES);
            a0 += low & MASK;
            a1 += low >>> 26 & MASK;
            a2 += (low >>> 52 | high << 12) & MASK;
            a3 += high >>> 14 & MASK;
            a4 += high >>> 40 | top;

            long d0 = a0 * q0 + a1 * s4 + a2 * s3 + a3 * s2 + a4 * s1;
            long d1 = a0 * q1 + a1 * q0 + a2 * s4 + a3 * s3 + a4 * s2;
            long d2 = a0 * q2 + a1 * q1 + a2 * q0 + a3 * s4 + a4 * s3;
            long d3 = a0 * q3 + a1 * q2 + a2 * q1 + a3 * q0 + a4 * s4;
            long d4 = a0 * q4 + a1 * q3 + a2 * q2 + a3 * q1 + a4 * q0;

            d1 += d0 >>> 26;
            a0 = d0 & MASK;
            d2 += d1 >>> 26;
            a1 = d1 & MASK;
            d3 += d2 >>> 26;
            a2 = d2 & MASK;
            d4 += d3 >>> 26;
            a3 = d3 & MASK;
            a0 += (d4 >>> 26) * 5;
            a4 = d4 & MASK;
            a1 += a0 >>> 26;
            a0 &= MASK;
        }
        h0 = a0;
        h1 = a1;
        h2 = a2;
        h3 = a3;
        h4 = a4;
    }

    private void finish() {
        h2 += h1 >>> 26;
        h1 &= MASK;
        h3 += h2 >>> 26;
        h2 &= MASK;
        h4 += h3 >>> 26;
        h3 &= MASK;
        h0 += (h4 >>> 26) * 5;
        h4 &= MASK;
        h1 += h0 >>> 26;
        h0 &= MASK;

        // h + 5 - 2^130: where it is not negative it is the reduced number.
        long g0 = h0 + 5;
        long g1 = h1 + (g0 >>> 26);
        long g2 = h2 + (g1 >>> 26);
        long g3 = h3 + (g2 >>> 26);
        long g4 = h4 + (g3 >>> 26) - (1 << 26);
        long keep = g4 >> 63;
        h0 = choose(keep, h0, g0 & MASK);
        h1 = choose(keep, h1, g1 & MASK);
        h2 = choose(keep, h2, g2 & MASK);
        h3 = choose(keep, h3, g3 & MASK);
        h4 = choose(keep, h4, g4 & MASK);

        long low = h0 | h1 << 26 | h2 << 52;
        long high = h2 >>> 12 | h3 << 14 | h4 << 40;
        tag01 = low + pad01;
        // The carry of an unsigned addition, without a branch.
        long carry = ((low & pad01) | ((low | pad01) & ~tag01)) >>> 63;
        tag23 = high + pad23 + carry;
    }

    private static long word(int[] key, int index) {
        return Integer.toUnsignedLong(key[index]) | (long) key[index + 1] << 32;
    }

    private static long choose(long mask, long whereSet, long whereClear) {
        return (whereSet & mask) | (whereClear & ~mask);
    }

    void writeTag(byte[] out, int offset) {
        Bytes.putLong(out, offset, tag01);
        Bytes.putLong(out, offset + Long.BYTES, tag23);
    }

    /** Whether the bytes are the tag, in constant time. */
    boolean verify(byte[] bytes, int offset) {
        long wrong = Bytes.getLong(bytes, offset) ^ tag01;
        wrong |= Bytes.getLong(bytes, offset + Long.BYTES) ^ tag23;
        return wrong == 0;
    }
}
