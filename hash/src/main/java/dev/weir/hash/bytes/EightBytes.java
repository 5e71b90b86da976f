package dev.weir.hash.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Eight characters of a text at once, the first in the lowest byte: most of a mail is nothing but letters. */
public final class EightBytes {
    /** Characters that are looked at at once. */
    public static final int WIDTH = Long.BYTES;

    private static final long ONES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private EightBytes() {}

    /** The eight characters at {@code from}, which must be there. */
    public static long at(byte[] text, int from) {
        return (long) LONG.get(text, from);
    }

    /** Writes eight characters. */
    public static void put(byte[] text, int from, long eight) {
        LONG.set(text, from, eight);
    }

    /** These eight with ASCII letters in lower case. */
    public static long lower(long eight) {
        // The top bit of a byte, which ASCII leaves free, says on which side of a bound the byte is.
        return eight | (within(eight, 'A', 'Z') >>> 2);
    }

    /**
     * How many lower-case letters and digits of ASCII stand first.
     *
     * @return 0..8
     */
    public static int run(long eight) {
        long others = TOPS & ~(within(eight, 'a', 'z') | within(eight, '0', '9'));
        return Long.numberOfTrailingZeros(others) >>> 3;
    }

    /**
     * The first characters, zeros behind them.
     *
     * @param count 1..8
     */
    public static long first(long eight, int count) {
        return eight & (-1L >>> (Long.SIZE - count * Byte.SIZE));
    }

    /** Whether all eight are ASCII and none is up to {@code last}, nor one of two others. */
    public static boolean isAllAbove(long eight, int last, int one, int other) {
        return (within(eight, last + 1, 0x7f) & ~(within(eight, one, one) | within(eight, other, other))) == TOPS;
    }

    /** Whether one of the eight is one of three characters of ASCII. */
    public static boolean hasAny(long eight, int one, int two, int three) {
        return (within(eight, one, one) | within(eight, two, two) | within(eight, three, three)) != 0;
    }

    /** The top bit of each byte from {@code first} to {@code last}, both ASCII. */
    private static long within(long text, int first, int last) {
        long ascii = text & ~TOPS;
        return (ascii + (0x80 - first) * ONES) & ~(ascii + (0x7f - last) * ONES) & ~text & TOPS;
    }
}
