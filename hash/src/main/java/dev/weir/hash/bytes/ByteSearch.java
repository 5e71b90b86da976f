package dev.weir.hash.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds single bytes, eight at a time.
 *
 * <p>The JVM does not vectorise a loop that may end early, so these read a word of eight bytes and ask by arithmetic
 * whether one of them is the wanted one (Mycroft's test; of the flags that it sets the lowest is always right).
 */
public final class ByteSearch {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private ByteSearch() {}

    /**
     * Position of the first {@code wanted}, which is ASCII, in [from, to), or {@code to}; {@code from} if that is not
     * before it.
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

    /** Position of the first byte beyond ASCII in [from, to), or {@code to}; {@code from} if that is not before it. */
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
