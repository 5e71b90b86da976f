package dev.weir.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * The meaning of listen addresses, the same for UDP, TCP and HTTP: {@code 0.0.0.0} accepts IPv4 only, {@code ::}
 * accepts both families. The defaults of Java differ: {@code 0.0.0.0} accepts both families for TCP, but not for UDP.
 */
public final class ListenAddress {
    private static final InetAddress EVERY_IPV4 = InetAddress.ofLiteral("0.0.0.0");
    private static final InetAddress EVERY = InetAddress.ofLiteral("::");

    private ListenAddress() {}

    /** Returns the address that accepts both families, or the IPv4 one on a machine without IPv6. */
    public static InetAddress all() {
        try (DatagramChannel _ = DatagramChannel.open(StandardProtocolFamily.INET6)) {
            return EVERY;
        } catch (IOException | UnsupportedOperationException noIpv6) {
            return EVERY_IPV4;
        }
    }

    /**
     * Returns whether a socket on {@code other} accepts everything that one on {@code address} does, so that they
     * conflict.
     */
    public static boolean covers(InetSocketAddress other, InetSocketAddress address) {
        return address.getPort() != 0 && address.getPort() == other.getPort() && EVERY_IPV4.equals(address.getAddress())
                && EVERY.equals(other.getAddress());
    }

    /**
     * Opens an unbound channel that accepts connections to an address.
     *
     * @throws IOException if the system has no more sockets
     */
    public static ServerSocketChannel channelFor(InetSocketAddress address) throws IOException {
        return address.getAddress() instanceof Inet4Address
                ? ServerSocketChannel.open(StandardProtocolFamily.INET)
                : ServerSocketChannel.open();
    }
}
