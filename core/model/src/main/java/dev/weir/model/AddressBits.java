package dev.weir.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Internet addresses as two 64-bit numbers, for large tables and for code that must not allocate. The numbers hold the
 * sixteen bytes of an IPv6 address in network order. An IPv4 address has its mapped form {@code ::ffff:a.b.c.d} (RFC
 * 4291 2.5.5.2).
 */
public final class AddressBits {
    /** Number of bits before the 32 bits of an IPv4 address in its mapped form. */
    public static final int MAPPED_PREFIX = 96;

    private static final long MAPPED = 0xffffL << 32;
    private static final int V4_BYTES = 4;

    private AddressBits() {}

    /** Returns the first eight bytes; 0 for an IPv4 address. */
    public static long high(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == V4_BYTES ? 0 : ByteBuffer.wrap(bytes).getLong();
    }

    /** Returns the last eight bytes. */
    public static long low(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == V4_BYTES ? mapped(ByteBuffer.wrap(bytes).getInt()) : ByteBuffer.wrap(bytes).getLong(8);
    }

    /** Returns the last eight bytes of an IPv4 address. The argument holds its four bytes in network order. */
    public static long mapped(int address) {
        return MAPPED | (address & 0xffffffffL);
    }

    /** Returns whether the two numbers form an IPv4 address. */
    public static boolean isV4(long high, long low) {
        return high == 0 && low >>> 32 == 0xffffL;
    }

    /** Converts the two numbers to an address. */
    public static InetAddress address(long high, long low) {
        byte[] bytes = isV4(high, low)
                ? ByteBuffer.allocate(V4_BYTES).putInt((int) low).array()
                : ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
        return address(bytes);
    }

    /**
     * Converts the bytes of an address.
     *
     * @throws IllegalArgumentException if there are not 4 or 16
     */
    public static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an address of " + bytes.length + " bytes", e);
        }
    }
}
