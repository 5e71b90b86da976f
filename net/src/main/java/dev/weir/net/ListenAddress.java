package dev.weir.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * What an address to listen on means, the same for UDP, TCP and HTTP: {@code 0.0.0.0} takes IPv4 alone, {@code ::} takes both
 * families. Java left alone lets {@code 0.0.0.0} take both where connections are taken, and not where datagrams are.
 */
public final class ListenAddress {
    private static final InetAddress EVERY_IPV4 = InetAddress.ofLiteral("0.0.0.0");
    private static final InetAddress EVERY = InetAddress.ofLiteral("::");

    private ListenAddress() {}

    /** The address that takes both families, or the one of IPv4 on a machine without IPv6. */
    public static InetAddress all() {
        try (DatagramChannel _ = DatagramChannel.open(StandardProtocolFamily.INET6)) {
            return EVERY;
        } catch (IOException | UnsupportedOperationException noIpv6) {
            return EVERY_IPV4;
        }
    }

    /** Whether a socket on {@code other} takes everything that one on {@code address} would, so that both cannot be. */
    public static boolean covers(InetSocketAddress other, InetSocketAddress address) {
        return address.getPort() != 0 && address.getPort() == other.getPort() && EVERY_IPV4.equals(address.getAddress())
                && EVERY.equals(other.getAddress());
    }

    /**
     * A channel for the connections to an address, not bound yet.
     *
     * @throws IOException if the system has none left
     */
    public static ServerSocketChannel channelFor(InetSocketAddress address) throws IOException {
        return address.getAddress() instanceof Inet4Address
                ? ServerSocketChannel.open(StandardProtocolFamily.INET)
                : ServerSocketChannel.open();
    }
}
