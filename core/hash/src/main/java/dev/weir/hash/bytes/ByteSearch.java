package dev.weir.hash.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A search for single bytes that examines 32 or eight bytes per step.
 *
 * <p>The JVM does not vectorize a loop with an early exit. These loops therefore read eight bytes as one word and test
 * by arithmetic whether one of them matches. The test is Mycroft's; the lowest flag that it sets is always correct.
 */
public final class ByteSearch {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    /** Bytes of one step while nothing is found. */
    private static final int BLOCK = 4 * Long.BYTES;
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
        while (at <= to - BLOCK && (zeros(word(data, at) ^ pattern) | zeros(word(data, at + 8) ^ pattern)
                | zeros(word(data, at + 16) ^ pattern) | zeros(word(data, at + 24) ^ pattern)) == 0) {
            at += BLOCK;
        }
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long zeros = zeros(word(data, at) ^ pattern);
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
     * Returns the position of the first two {@code wanted} in a row, an ASCII character, in [from, to), or {@code to}
     * if there is none.
     */
    public static int indexOfTwo(byte[] data, int from, int to, char wanted) {
        long pattern = wanted * ONES;
        int at = from;
        for (; at < to - Long.BYTES; at += Long.BYTES) {
            long zeros = zeros((word(data, at) ^ pattern) | (word(data, at + 1) ^ pattern));
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        for (; at < to - 1; at++) {
            if (data[at] == wanted && data[at + 1] == wanted) {
                return at;
            }
        }
        return to;
    }

    private static long word(byte[] data, int at) {
        return (long) WORD.get(data, at);
    }

    /** Returns a word without flags if no byte is zero; otherwise the lowest flag is that of the first zero byte. */
    private static long zeros(long word) {
        return (word - ONES) & ~word & HIGH_BITS;
    }

    /**
     * Returns the position of the first {@code one} or {@code other}, ASCII characters, in [from, to), or {@code to} if
     * there is none. Returns {@code from} if the range is empty.
     */
    public static int indexOfEither(byte[] data, int from, int to, char one, char other) {
        long onePattern = one * ONES;
        long otherPattern = other * ONES;
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long word = word(data, at);
            long zeros = zeros(word ^ onePattern) | zeros(word ^ otherPattern);
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (at < to && data[at] != one && data[at] != other) {
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
        while (at <= to - BLOCK && ((word(data, at) | word(data, at + 8) | word(data, at + 16) | word(data, at + 24))
                & HIGH_BITS) == 0) {
            at += BLOCK;
        }
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long high = word(data, at) & HIGH_BITS;
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
