package dev.weir.net;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import dev.weir.model.AddressBits;

/**
 * The socket addresses of Linux: {@code sockaddr_in} (16 bytes) and {@code sockaddr_in6} (28), see ip(7) and ipv6(7).
 */
final class SocketAddresses {
    static final short INET = 2;
    static final short INET6 = 10;
    static final int INET_LENGTH = 16;
    static final int INET6_LENGTH = 28;

    private static final int PORT = 2;
    private static final int V4 = 4;
    private static final int V4_BYTES = 4;
    private static final int V6 = 8;
    private static final int V6_BYTES = 16;
    private static final int SCOPE = 24;
    private static final ValueLayout.OfShort NETWORK_SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    static int length(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_SHORT, at) == INET6 ? INET6_LENGTH : INET_LENGTH;
    }

    static int port(MemorySegment memory, long at) {
        return memory.get(NETWORK_SHORT, at + PORT) & 0xffff;
    }

    static long high(MemorySegment memory, long at) {
        return isInet6(memory, at) ? memory.get(NETWORK_LONG, at + V6) : 0;
    }

    static long low(MemorySegment memory, long at) {
        return isInet6(memory, at)
                ? memory.get(NETWORK_LONG, at + V6 + Long.BYTES)
                : AddressBits.mapped(memory.get(NETWORK_INT, at + V4));
    }

    private static boolean isInet6(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_SHORT, at) == INET6;
    }

    static byte[] encode(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(HostPort.unknown(address.getHostString()));
        }
        boolean inet6 = address.getAddress() instanceof Inet6Address;
        ByteBuffer bytes = ByteBuffer.allocate(Packets.ADDRESS).order(ByteOrder.nativeOrder());
        bytes.putShort(0, inet6 ? INET6 : INET);
        bytes.put(PORT, (byte) (address.getPort() >> 8)).put(PORT + 1, (byte) address.getPort());
        byte[] host = address.getAddress().getAddress();
        if (!inet6) {
            bytes.put(V4, host);
        } else {
            bytes.put(V6, host).putInt(SCOPE, ((Inet6Address) address.getAddress()).getScopeId());
        }
        return bytes.array();
    }

    static InetSocketAddress decode(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        int port = ((bytes[PORT] & 0xff) << 8) | (bytes[PORT + 1] & 0xff);
        if (buffer.getShort(0) != INET6) {
            return new InetSocketAddress(AddressBits.address(Arrays.copyOfRange(bytes, V4, V4 + V4_BYTES)), port);
        }
        byte[] host = Arrays.copyOfRange(bytes, V6, V6 + V6_BYTES);
        InetAddress plain = AddressBits.address(host);
        int scope = buffer.getInt(SCOPE);
        if (scope == 0 || plain instanceof Inet4Address) {
            return new InetSocketAddress(plain, port);
        }
        try {
            return new InetSocketAddress(Inet6Address.getByAddress(null, host, scope), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("16 bytes are the length of an address", e);
        }
    }
}
