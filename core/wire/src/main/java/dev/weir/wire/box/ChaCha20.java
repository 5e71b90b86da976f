package dev.weir.wire.box;

import dev.weir.wire.LittleEndian;

/**
 * ChaCha20 and HChaCha20 in plain Java, without allocation. The caller owns the state, an int[16] with constants, key
 * and input. For ChaCha20 it has the original layout: a 64-bit block counter in words 12 and 13, the nonce in words 14
 * and 15 (docs/reference/protocol.md#box-construction).
 *
 * <p>The sixteen words of a block are local variables, which the JIT keeps in registers; loops over an array are
 * several times slower. No branch and no table lookup depends on data.
 */
final class ChaCha20 {
    static final int STATE = 16;
    static final int BLOCK = 64;
    private static final int KEY_AT = 4;
    private static final int KEY_WORDS = 8;
    private static final int COUNTER_AT = 12;

    private ChaCha20() {}

    /** Sets the constants and the key from eight words. */
    static void key(int[] state, int[] key) {
        constants(state);
        System.arraycopy(key, 0, state, KEY_AT, KEY_WORDS);
    }

    /** Sets the constants and the key from 32 bytes. */
    static void key(int[] state, byte[] key, int offset) {
        constants(state);
        for (int i = 0; i < KEY_WORDS; i++) {
            state[KEY_AT + i] = LittleEndian.getInt(key, offset + i * Integer.BYTES);
        }
    }

    private static void constants(int[] state) {
        state[0] = 0x61707865;
        state[1] = 0x3320646e;
        state[2] = 0x79622d32;
        state[3] = 0x6b206574;
    }

    /** Sets the last four words: the input of HChaCha20, or the counter and the nonce. */
    static void input(int[] state, int w12, int w13, int w14, int w15) {
        state[COUNTER_AT] = w12;
        state[13] = w13;
        state[14] = w14;
        state[15] = w15;
    }

    /** Writes the next block of keystream to {@code out[0..15]} and increments the counter. */
    static void block(int[] state, int[] out) {
        rounds(state, out);
        for (int i = 0; i < STATE; i++) {
            out[i] += state[i];
        }
        if (++state[COUNTER_AT] == 0) {
            state[COUNTER_AT + 1]++;
        }
    }

    /** Computes HChaCha20 of the state. Writes the eight words of the derived key to {@code out[0..7]}. */
    static void derive(int[] state, int[] out) {
        rounds(state, out);
        System.arraycopy(out, 12, out, 4, 4);
    }

    private static void rounds(int[] s, int[] out) {
        int a = s[0];
        int b = s[1];
        int c = s[2];
        int d = s[3];
        int e = s[4];
        int f = s[5];
        int g = s[6];
        int h = s[7];
        int i = s[8];
        int j = s[9];
        int k = s[10];
        int l = s[11];
        int m = s[12];
        int n = s[13];
        int o = s[14];
        int p = s[15];
        for (int round = 0; round < 20; round += 2) {
            a += e;
            m = Integer.rotateLeft(m ^ a, 16);
            b += f;
            n = Integer.rotateLeft(n ^ b, 16);
            c += g;
            o = Integer.rotateLeft(o ^ c, 16);
            d += h;
            p = Integer.rotateLeft(p ^ d, 16);
            i += m;
            e = Integer.rotateLeft(e ^ i, 12);
            j += n;
            f = Integer.rotateLeft(f ^ j, 12);
            k += o;
            g = Integer.rotateLeft(g ^ k, 12);
            l += p;
            h = Integer.rotateLeft(h ^ l, 12);
            a += e;
            m = Integer.rotateLeft(m ^ a, 8);
            b += f;
            n = Integer.rotateLeft(n ^ b, 8);
            c += g;
            o = Integer.rotateLeft(o ^ c, 8);
            d += h;
            p = Integer.rotateLeft(p ^ d, 8);
            i += m;
            e = Integer.rotateLeft(e ^ i, 7);
            j += n;
            f = Integer.rotateLeft(f ^ j, 7);
            k += o;
            g = Integer.rotateLeft(g ^ k, 7);
            l += p;
            h = Integer.rotateLeft(h ^ l, 7);

            a += f;
            p = Integer.rotateLeft(p ^ a, 16);
            b += g;
            m = Integer.rotateLeft(m ^ b, 16);
            c += h;
            n = Integer.rotateLeft(n ^ c, 16);
            d += e;
            o = Integer.rotateLeft(o ^ d, 16);
            k += p;
            f = Integer.rotateLeft(f ^ k, 12);
            l += m;
            g = Integer.rotateLeft(g ^ l, 12);
            i += n;
            h = Integer.rotateLeft(h ^ i, 12);
            j += o;
            e = Integer.rotateLeft(e ^ j, 12);
            a += f;
            p = Integer.rotateLeft(p ^ a, 8);
            b += g;
            m = Integer.rotateLeft(m ^ b, 8);
            c += h;
            n = Integer.rotateLeft(n ^ c, 8);
            d += e;
            o = Integer.rotateLeft(o ^ d, 8);
            k += p;
            f = Integer.rotateLeft(f ^ k, 7);
            l += m;
            g = Integer.rotateLeft(g ^ l, 7);
            i += n;
            h = Integer.rotateLeft(h ^ i, 7);
            j += o;
            e = Integer.rotateLeft(e ^ j, 7);
        }
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
        out[4] = e;
        out[5] = f;
        out[6] = g;
        out[7] = h;
        out[8] = i;
        out[9] = j;
        out[10] = k;
        out[11] = l;
        out[12] = m;
        out[13] = n;
        out[14] = o;
        out[15] = p;
    }

    /**
     * XORs bytes with the keystream, starting at the block of the state. {@code block} is a scratch array of 16 words.
     */
    static void apply(int[] state, int[] block, byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (end - at >= BLOCK) {
            block(state, block);
            for (int i = 0; i < STATE; i++) {
                int where = at + i * Integer.BYTES;
                LittleEndian.putInt(bytes, where, LittleEndian.getInt(bytes, where) ^ block[i]);
            }
            at += BLOCK;
        }
        if (at < end) {
            block(state, block);
            int i = 0;
            for (; end - at >= Integer.BYTES; at += Integer.BYTES) {
                LittleEndian.putInt(bytes, at, LittleEndian.getInt(bytes, at) ^ block[i++]);
            }
            for (int shift = 0; at < end; shift += Byte.SIZE) {
                bytes[at++] ^= (byte) (block[i] >>> shift);
            }
        }
    }
}
