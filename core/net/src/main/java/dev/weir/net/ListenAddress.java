package dev.weir.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The meaning of listen addresses, the same for UDP, TCP and HTTP: {@code 0.0.0.0} accepts IPv4 only, {@code ::}
 * accepts both families. The defaults of Java differ: {@code 0.0.0.0} accepts both families for TCP, but not for UDP.
 */
public final class ListenAddress {
    private static final InetAddress EVERY_IPV4 = InetAddress.ofLiteral("0.0.0.0");
    private static final InetAddress EVERY = InetAddress.ofLiteral("::");

    private ListenAddress() {}

    /**
     * Parses an address to listen on: {@code host}, {@code host:port}, {@code [::1]:port}, or {@code *:port} for all
     * addresses, with {@code *v4} or {@code *v6} for those of one family. Host names are resolved.
     *
     * @param usual the port if the text has none
     * @return the addresses of the host, at least one
     * @throws IllegalArgumentException with a sentence that explains why the address cannot be used
     */
    public static List<InetSocketAddress> parse(String text, int usual) {
        try {
            HostPort place = HostPort.parse(text, usual);
            return addresses(place.host()).map(address -> new InetSocketAddress(address, place.port())).toList();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(HostPort.unknown(HostPort.parse(text, usual).host()), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "expected host:port, *:port, [address]:port"
                    + " or the path of a socket, but found \"%.100s\"", text), e);
        }
    }

    private static Stream<InetAddress> addresses(String host) throws UnknownHostException {
        return switch (host) {
            case "*" -> Stream.of(all());
            case "*v4" -> Stream.of(EVERY_IPV4);
            case "*v6" -> Stream.of(EVERY);
            default -> host.contains(":")
                    ? Stream.of(InetAddress.ofLiteral(host))
                    : Stream.of(InetAddress.getAllByName(host));
        };
    }

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
