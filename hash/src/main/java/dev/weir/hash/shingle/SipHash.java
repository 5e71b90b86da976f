package dev.weir.hash.shingle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** SipHash-2-4 with 64 bits of output (Aumasson and Bernstein, 2012). */
public final class SipHash {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private SipHash() {}

    /**
     * Returns the hash of the whole array under the 16-byte key with the little-endian halves {@code k0} and
     * {@code k1}.
     */
    public static long hash(byte[] data, long k0, long k1) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        int length = data.length;
        int words = length >> 3;
        // Two rounds for each word (the last word carries the length), then four to finish.
        for (int w = 0; w <= words + 1; w++) {
            boolean finish = w > words;
            long m = 0;
            if (w < words) {
                m = (long) LONG.get(data, w << 3);
            } else if (!finish) {
                m = lastWord(data, w << 3);
            } else {
                v2 ^= 0xff;
            }
            v3 ^= m;
            for (int round = finish ? 4 : 2; round > 0; round--) {
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
            v0 ^= m;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long lastWord(byte[] data, int from) {
        long m = (long) data.length << 56;
        for (int i = from, shift = 0; i < data.length; i++, shift += 8) {
            m |= (data[i] & 0xffL) << shift;
        }
        return m;
    }
}
