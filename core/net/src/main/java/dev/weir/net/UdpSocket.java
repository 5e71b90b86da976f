package dev.weir.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;

import dev.weir.os.LinuxCalls;

/**
 * A UDP socket. One thread at a time may receive. Any number of threads may send, each with its own {@link Packets}. On
 * Linux, sending and receiving do not allocate.
 */
public sealed interface UdpSocket extends Closeable permits LinuxUdpSocket, ChannelUdpSocket {
    /**
     * Opens a socket and binds it to an address.
     *
     * @throws IOException if the system refuses; the message contains its reason
     */
    static UdpSocket bind(InetSocketAddress local, UdpOptions options) throws IOException {
        return LinuxCalls.AVAILABLE ? LinuxUdpSocket.bind(local, options) : ChannelUdpSocket.bind(local, options);
    }

    /**
     * Opens a socket on a free port and connects it to an address. The socket receives only datagrams from this
     * address, and its packets need no address.
     *
     * @throws IOException if the system refuses; the message contains its reason
     */
    static UdpSocket connect(InetSocketAddress remote, UdpOptions options) throws IOException {
        return LinuxCalls.AVAILABLE
                ? LinuxUdpSocket.connect(remote, options)
                : ChannelUdpSocket.connect(remote, options);
    }

    /** Returns whether several sockets can share an address on this system, which then distributes the datagrams. */
    static boolean canShareAddress() {
        return LinuxCalls.AVAILABLE;
    }

    /** Returns the local address of the socket. */
    InetSocketAddress local();

    /**
     * Waits for a datagram and receives all available ones, up to the capacity of the batch. Datagrams that are longer
     * than a packet are truncated.
     *
     * @return the number of received packets; may be 0 at any time, always after {@link #wake} or a second without
     * datagrams
     * @throws IOException if the system reports an error; on a connected socket, an earlier datagram may have caused it
     */
    int receive(Packets target) throws IOException;

    /** Same as {@link #receive}, but does not wait. */
    int poll(Packets target) throws IOException;

    /**
     * Sends the first {@code count} packets, each to its own address. Never waits: packets that the system does not
     * accept immediately are dropped, as on any network.
     *
     * @return the number of packets that the system accepted
     */
    int send(Packets packets, int count);

    /**
     * Same as {@link #send}, but combines adjacent packets of equal length to the same address where the system
     * supports it ({@code UDP_SEGMENT}, udp(7)). They pass through the network stack as one message and are split at
     * the end, which avoids most of the cost of sending. Receivers see no difference.
     *
     * @return the number of packets that the system accepted
     */
    int sendTogether(Packets packets, int count);

    /** Makes a waiting {@link #receive} and all later ones return 0 soon. Any thread may call this method. */
    void wake();

    @Override
    void close();
}
