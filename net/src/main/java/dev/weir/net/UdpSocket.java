package dev.weir.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;

import dev.weir.os.LinuxCalls;

/**
 * A UDP socket. One thread at a time may receive; any number of threads may send, each from its own {@link Packets}.
 * Neither allocates on Linux.
 */
public sealed interface UdpSocket extends Closeable permits LinuxUdpSocket, ChannelUdpSocket {
    /**
     * A socket that is bound to an address.
     *
     * @throws IOException if the system refuses, with its reason
     */
    static UdpSocket bind(InetSocketAddress local, UdpOptions options) throws IOException {
        return LinuxCalls.AVAILABLE ? LinuxUdpSocket.bind(local, options) : ChannelUdpSocket.bind(local, options);
    }

    /**
     * A socket on a free port that talks to one address only: what others send does not arrive, and packets need no
     * address.
     *
     * @throws IOException if the system refuses, with its reason
     */
    static UdpSocket connect(InetSocketAddress remote, UdpOptions options) throws IOException {
        return LinuxCalls.AVAILABLE
                ? LinuxUdpSocket.connect(remote, options)
                : ChannelUdpSocket.connect(remote, options);
    }

    /** Whether several sockets may share an address here, the system dealing the datagrams out among them. */
    static boolean canShareAddress() {
        return LinuxCalls.AVAILABLE;
    }

    /** The address that the socket is bound to. */
    InetSocketAddress local();

    /**
     * Waits until there is a datagram and takes all that are there then, up to the room of the batch. A datagram that is
     * longer than a packet is cut.
     *
     * @return how many packets were filled; 0 after {@link #wake}, after a second without any, and at any other time
     * @throws IOException if the system says so: for a connected socket that can be the answer to an earlier datagram
     */
    int receive(Packets target) throws IOException;

    /** As {@link #receive}, but does not wait. */
    int poll(Packets target) throws IOException;

    /**
     * Sends the first {@code count} packets, each to its own address. It never waits: what the system does not take at
     * once is dropped, as any network may.
     *
     * @return how many were handed to the system
     */
    int send(Packets packets, int count);

    /**
     * As {@link #send}, but neighbours of one length that go to one address are taken through the layers of the system as one
     * and cut apart at the end, where it can ({@code UDP_SEGMENT}, udp(7)): that is most of what sending costs. For
     * receivers it is no difference.
     *
     * @return how many were handed to the system
     */
    int sendTogether(Packets packets, int count);

    /** Makes a {@link #receive} that waits, and all later ones, return 0 soon. Any thread may call it. */
    void wake();

    @Override
    void close();
}
