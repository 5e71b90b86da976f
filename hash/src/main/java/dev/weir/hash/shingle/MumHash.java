package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Mum-hash: multiply to 128 bits, add the halves, xor together. The block is 32 bytes (4 words) as on x86-64; the
 * reference unrolls to 128 bytes on aarch64, so words longer than 32 bytes hash differently there.
 */
public final class MumHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Bytes of a block. */
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

    /** High plus low half of the unsigned 128-bit product. */
    private static long mum(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b) + a * b;
    }

    /** Hash of the whole array. */
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

    /** The state before the first byte. */
    static long start(long seed, int length) {
        return mum(seed + length, BLOCK_START);
    }

    /**
     * What the bytes from {@code from} to {@code to}, at most {@link #BLOCK}, add to the state. It does not depend on
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

    /** Fewer than eight bytes, zeros behind them. */
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

    /** One step of the incremental form: mixes {@code k} into state {@code h} (used by the decay of long texts). */
    public static long step(long h, long k) {
        return mum(h, STEP_1) ^ mum(k, STEP_2);
    }

    /** Finish of both forms. */
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
