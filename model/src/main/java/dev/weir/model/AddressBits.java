package dev.weir.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * Internet addresses as two 64-bit numbers, for tables that hold many and for paths that make no objects: the sixteen
 * bytes of an IPv6 address in network order, and of an IPv4 address those of its mapped form {@code ::ffff:a.b.c.d}
 * (RFC 4291 2.5.5.2).
 */
public final class AddressBits {
    /** Bits in front of the 32 of an IPv4 address in its mapped form. */
    public static final int MAPPED_PREFIX = 96;

    private static final long MAPPED = 0xffffL << 32;
    private static final int V4_BYTES = 4;

    private AddressBits() {}

    /** The first eight bytes; 0 for an IPv4 address. */
    public static long high(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == V4_BYTES ? 0 : ByteBuffer.wrap(bytes).getLong();
    }

    /** The last eight bytes. */
    public static long low(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == V4_BYTES ? mapped(ByteBuffer.wrap(bytes).getInt()) : ByteBuffer.wrap(bytes).getLong(8);
    }

    /** The last eight bytes of an IPv4 address, given as its four bytes in network order. */
    public static long mapped(int address) {
        return MAPPED | (address & 0xffffffffL);
    }

    /** Whether the two numbers are those of an IPv4 address. */
    public static boolean isV4(long high, long low) {
        return high == 0 && low >>> 32 == 0xffffL;
    }

    /** The address that the two numbers stand for. */
    public static InetAddress address(long high, long low) {
        byte[] bytes = isV4(high, low)
                ? ByteBuffer.allocate(V4_BYTES).putInt((int) low).array()
                : ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 and 16 bytes are the lengths of an address", e);
        }
    }
}
