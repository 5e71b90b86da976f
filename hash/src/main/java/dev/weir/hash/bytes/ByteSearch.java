package dev.weir.hash.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A search for single bytes that examines eight bytes per step.
 *
 * <p>The JVM does not vectorize a loop with an early exit. These loops therefore read eight bytes as one word and test
 * by arithmetic whether one of them matches. The test is Mycroft's; the lowest flag that it sets is always correct.
 */
public final class ByteSearch {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private ByteSearch() {}

    /**
     * Returns the position of the first {@code wanted}, an ASCII character, in [from, to), or {@code to} if there is
     * none. Returns {@code from} if the range is empty.
     */
    public static int indexOf(byte[] data, int from, int to, char wanted) {
        long pattern = wanted * ONES;
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long difference = (long) WORD.get(data, at) ^ pattern;
            long zeros = (difference - ONES) & ~difference & HIGH_BITS;
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (at < to && data[at] != wanted) {
            at++;
        }
        return at;
    }

    /**
     * Returns the position of the first byte outside ASCII in [from, to), or {@code to} if there is none. Returns
     * {@code from} if the range is empty.
     */
    public static int indexOfHigh(byte[] data, int from, int to) {
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long high = (long) WORD.get(data, at) & HIGH_BITS;
            if (high != 0) {
                return at + Long.numberOfTrailingZeros(high) / Byte.SIZE;
            }
        }
        while (at < to && data[at] >= 0) {
            at++;
        }
        return at;
    }
}
