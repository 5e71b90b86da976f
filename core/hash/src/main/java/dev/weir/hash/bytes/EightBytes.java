package dev.weir.hash.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Operations on eight characters packed into one {@code long}, the first in the lowest byte. Most of a mail is plain
 * letters, so most steps process eight of them.
 */
public final class EightBytes {
    /** Characters per step. */
    public static final int WIDTH = Long.BYTES;

    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    /** Spreads the bits of a product. */
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private EightBytes() {}

    /** Returns the eight characters at {@code from}; the text must have that many. */
    public static long at(byte[] text, int from) {
        return (long) LONG.get(text, from);
    }

    /** Writes eight characters. */
    public static void put(byte[] text, int from, long eight) {
        LONG.set(text, from, eight);
    }

    /**
     * Returns the number of characters before the first {@code wanted}, an ASCII character.
     *
     * @return 0 to 8
     */
    public static int before(long eight, char wanted) {
        long other = eight ^ (wanted * ONES);
        return Long.numberOfTrailingZeros((other - ONES) & ~other & TOPS) >>> 3;
    }

    /** Returns a hash of the bytes in [from, to) whose upper half is well mixed. */
    public static long hash(long seed, byte[] data, int from, int to) {
        long hash = seed ^ (to - from);
        int at = from;
        for (; at <= to - WIDTH; at += WIDTH) {
            hash = (hash ^ at(data, at)) * FACTOR;
            hash ^= hash >>> 32;
        }
        for (; at < to; at++) {
            hash = (hash ^ data[at]) * FACTOR;
        }
        return hash;
    }

    /** Converts ASCII letters to lower case. */
    public static long lower(long eight) {
        // Shifting the flag of an upper-case letter from bit 7 to bit 5 sets its case bit.
        return eight | (within(eight, 'A', 'Z') >>> 2);
    }

    /**
     * Returns the number of leading characters that are lower-case ASCII letters or digits.
     *
     * @return 0 to 8
     */
    public static int run(long eight) {
        long others = TOPS & ~(within(eight, 'a', 'z') | within(eight, '0', '9'));
        return Long.numberOfTrailingZeros(others) >>> 3;
    }

    /**
     * Returns the first characters, padded with zeros.
     *
     * @param count 1 to 8
     */
    public static long first(long eight, int count) {
        return eight & (-1L >>> (Long.SIZE - count * Byte.SIZE));
    }

    /** Whether all eight are ASCII, greater than {@code last}, and different from {@code one} and {@code other}. */
    public static boolean isAllAbove(long eight, int last, int one, int other) {
        return (within(eight, last + 1, 0x7f) & ~(within(eight, one, one) | within(eight, other, other))) == TOPS;
    }

    /** Whether any of the eight is one of three ASCII characters. */
    public static boolean hasAny(long eight, int one, int two, int three) {
        return (within(eight, one, one) | within(eight, two, two) | within(eight, three, three)) != 0;
    }

    /**
     * Returns a word in which the top bit is set for each byte from {@code first} to {@code last}, both ASCII. ASCII
     * leaves the top bit of each byte free, so each sum sets it if the byte is past the bound.
     */
    private static long within(long text, int first, int last) {
        long ascii = text & ~TOPS;
        return (ascii + (0x80 - first) * ONES) & ~(ascii + (0x7f - last) * ONES) & ~text & TOPS;
    }
}
