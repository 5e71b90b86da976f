package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Mum-hash: multiplies to 128 bits, adds the halves and combines by xor. A block has 32 bytes (4 words), as in Rspamd
 * on x86-64. On aarch64 Rspamd unrolls to 128 bytes, so words longer than 32 bytes have other hashes there.
 */
public final class MumHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Length of a block in bytes. */
    static final int BLOCK = 32;
    private static final long BLOCK_START = 0xc42b5e2e6480b23bL;
    private static final long UNROLL = 0x7b51ec3d22f7096fL;
    private static final long TAIL = 0xaf47d47c99b1461bL;
    private static final long FINISH_1 = 0xa9a7ae7ceff79f3fL;
    private static final long FINISH_2 = 0xaf47d47c99b1461bL;
    private static final long STEP_1 = 0x2e0bb864e9ea7df5L;
    private static final long STEP_2 = 0xcdb32970830fcaa1L;
    private static final long P0 = 0x9ebdcae10d981691L;
    private static final long P1 = 0x32b9b9b97a27ac7dL;
    private static final long P2 = 0x29b5584d83d35bbdL;
    private static final long P3 = 0x4b04e0e61401255fL;

    private MumHash() {}

    /** Returns the sum of the high and low half of the unsigned 128-bit product. */
    private static long mum(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b) + a * b;
    }

    /** Returns the hash of the whole array. */
    public static long hash(byte[] data, long seed) {
        int length = data.length;
        long r = start(seed, length);
        int at = 0;
        while (length - at > BLOCK) {
            r ^= mum((long) LONG.get(data, at), P0);
            r ^= mum((long) LONG.get(data, at + 8), P1);
            r ^= mum((long) LONG.get(data, at + 16), P2);
            r ^= mum((long) LONG.get(data, at + 24), P3);
            at += BLOCK;
            r = mum(r, UNROLL);
        }
        return finish(r ^ lastBlock(data, at, length));
    }

    /** Returns the state before the first byte. */
    static long start(long seed, int length) {
        return mum(seed + length, BLOCK_START);
    }

    /**
     * Returns the contribution of the bytes in [from, to), at most {@link #BLOCK}, to the state. It does not depend on
     * the seed.
     */
    static long lastBlock(byte[] data, int from, int to) {
        int at = from;
        long r = 0;
        for (int i = 0; to - at >= 8; i++, at += 8) {
            r ^= mum((long) LONG.get(data, at), prime(i));
        }
        return at < to ? r ^ mum(tail(data, at, to), TAIL) : r;
    }

    /** Returns fewer than eight bytes, padded with zeros. */
    private static long tail(byte[] data, int from, int to) {
        if (data.length - from >= 8) {
            return (long) LONG.get(data, from) & (-1L >>> (Long.SIZE - Byte.SIZE * (to - from)));
        }
        long tail = 0;
        for (int at = from, shift = 0; at < to; at++, shift += Byte.SIZE) {
            tail |= (data[at] & 0xffL) << shift;
        }
        return tail;
    }

    /** Mixes {@code k} into state {@code h}: one step of the incremental form, which the decay of long texts uses. */
    public static long step(long h, long k) {
        return mum(h, STEP_1) ^ mum(k, STEP_2);
    }

    /** Finishes both forms. */
    public static long finish(long state) {
        long r = state ^ mum(state, FINISH_1);
        return r ^ mum(r, FINISH_2);
    }

    private static long prime(int i) {
        return switch (i) {
            case 0 -> P0;
            case 1 -> P1;
            case 2 -> P2;
            default -> P3;
        };
    }
}
