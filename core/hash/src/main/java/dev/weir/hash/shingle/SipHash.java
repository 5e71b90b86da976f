package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4 with 64 bits of output (Aumasson and Bernstein, 2012) under 32 keys at once. All keys take the same steps
 * with the same input, so the JVM computes several keys with each instruction: a third of the time of one key after the
 * other.
 */
final class SipHash implements WordHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int COUNT = SubKeys.COUNT;
    /** Places of the second, third and fourth word of the states, behind the first words of all keys. */
    private static final int V1 = COUNT;
    private static final int V2 = 2 * COUNT;
    private static final int V3 = 3 * COUNT;

    /** The states before the input. One array, since the JVM would expect several to overlap. */
    private final long[] start = new long[4 * COUNT];

    /**
     * Prepares 32 keys of 16 bytes.
     *
     * @param low the first eight bytes of each key, little-endian
     * @param high the last eight bytes of each key
     */
    SipHash(long[] low, long[] high) {
        for (int key = 0; key < COUNT; key++) {
            start[key] = low[key] ^ 0x736f6d6570736575L;
            start[V1 + key] = high[key] ^ 0x646f72616e646f6dL;
            start[V2 + key] = low[key] ^ 0x6c7967656e657261L;
            start[V3 + key] = high[key] ^ 0x7465646279746573L;
        }
    }

    @Override
    public void hashAll(byte[] text, int from, int to, long[] hashes) {
        long[] states = start.clone();
        int at = from;
        for (; to - at >= Long.BYTES; at += Long.BYTES) {
            add(states, (long) LONG.get(text, at));
        }
        add(states, lastWord(text, at, to, to - from));
        for (int key = 0; key < COUNT; key++) {
            states[V2 + key] ^= 0xff;
        }
        for (int round = 0; round < 4; round++) {
            round(states, 0, 0);
        }
        for (int key = 0; key < COUNT; key++) {
            hashes[key] = states[key] ^ states[V1 + key] ^ states[V2 + key] ^ states[V3 + key];
        }
    }

    private static void add(long[] states, long word) {
        round(states, word, 0);
        round(states, 0, word);
    }

    private static long lastWord(byte[] text, int from, int to, int length) {
        long word = (long) length << 56;
        for (int i = from, shift = 0; i < to; i++, shift += 8) {
            word |= (text[i] & 0xffL) << shift;
        }
        return word;
    }

    /** One round of all states. A word of the input enters before its first round and again after its second one. */
    private static void round(long[] states, long before, long after) {
        for (int key = 0; key < COUNT; key++) {
            long v0 = states[key];
            long v1 = states[V1 + key];
            long v2 = states[V2 + key];
            long v3 = states[V3 + key] ^ before;
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
            states[key] = v0 ^ after;
            states[V1 + key] = v1;
            states[V2 + key] = v2;
            states[V3 + key] = v3;
        }
    }
}
