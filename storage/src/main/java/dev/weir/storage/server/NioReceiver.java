package dev.weir.storage.server;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;

import dev.weir.wire.Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiver that works everywhere: one blocking {@link DatagramChannel}, one system call for each datagram.
 *
 * <p>It allocates in one place: the JDK makes a new address object whenever the sender differs from that of the
 * datagram before. That is about 100 short-lived bytes for a datagram, inherent in this interface of the JDK, and the
 * reason why nothing behind {@link Peer} is about socket addresses.
 */
final class NioReceiver implements Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(NioReceiver.class);

    /** What the kernel keeps for us while we are busy, in bytes; it may grant less. Some 4000 shingled checks. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    /** Failures in a row after which receiving is given up. */
    private static final int MAX_FAILURES = 1_000;

    private final DatagramChannel channel;
    private final InetSocketAddress address;
    private final Counters counters;
    private volatile boolean stopping;

    private NioReceiver(DatagramChannel channel, InetSocketAddress address, Counters counters) {
        this.channel = channel;
        this.address = address;
        this.counters = counters;
    }

    /** Binds a socket. */
    static NioReceiver open(InetSocketAddress bind, Counters counters) throws IOException {
        boolean v4 = bind.getAddress() instanceof Inet4Address;
        DatagramChannel channel = DatagramChannel
                .open(v4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
            channel.bind(bind);
            return new NioReceiver(channel, (InetSocketAddress) channel.getLocalAddress(), counters);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    private final class Sender implements Peer {
        private SocketAddress address = NioReceiver.this.address;

        @Override
        public InetAddress address() {
            return ((InetSocketAddress) address).getAddress();
        }

        @Override
        public int port() {
            return ((InetSocketAddress) address).getPort();
        }

        @Override
        public ReturnPath keep() {
            SocketAddress kept = address;
            return (reply, length) -> send(ByteBuffer.wrap(reply, 0, length), kept);
        }
    }

    @Override
    public void run(DatagramHandler handler) {
        // The kernel cuts what is longer, as Rspamd's does (wire.md 1).
        ByteBuffer in = ByteBuffer.allocateDirect(Protocol.MAX_DATAGRAM);
        ByteBuffer out = ByteBuffer.allocateDirect(DatagramHandler.MAX_REPLY);
        byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
        byte[] reply = new byte[DatagramHandler.MAX_REPLY];
        Sender sender = new Sender();
        int failures = 0;
        while (!stopping) {
            try {
                in.clear();
                SocketAddress from = channel.receive(in);
                if (from == null || stopping) {
                    continue;
                }
                failures = 0;
                sender.address = from;
                in.flip();
                int length = in.remaining();
                in.get(datagram, 0, length);
                int answer = handler.handle(datagram, length, sender, reply);
                if (answer > 0) {
                    out.clear().put(reply, 0, answer).flip();
                    send(out, from);
                }
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                counters.increment(Counter.RECEIVE_FAILED);
                failures++;
                if (failures == 1) {
                    LOG.warn("receiving on {} failed: {}", address, e.getMessage());
                } else if (failures == MAX_FAILURES) {
                    throw new IllegalStateException("receiving on " + address + " fails again and again", e);
                }
            }
        }
    }

    private void send(ByteBuffer reply, SocketAddress to) {
        try {
            channel.send(reply, to);
            counters.increment(Counter.ANSWERED);
        } catch (IOException e) {
            // A full buffer, a firewall, a network that is down: the client asks again.
            counters.increment(Counter.SEND_FAILED);
        }
    }

    /** A blocked receive only ends with a datagram (closing would cut off the replies that are due): send one. */
    @Override
    public void stop() {
        stopping = true;
        InetAddress self = address.getAddress().isAnyLocalAddress()
                ? loopback(address.getAddress())
                : address.getAddress();
        try {
            channel.send(ByteBuffer.allocate(0), new InetSocketAddress(self, address.getPort()));
        } catch (IOException e) {
            LOG.warn("cannot wake the receiver on {}, closing its socket: {}", address, e.getMessage());
            close();
        }
    }

    private static InetAddress loopback(InetAddress any) {
        return InetAddress.ofLiteral(any instanceof Inet4Address ? "127.0.0.1" : "::1");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("closing the socket on {} failed: {}", address, e.getMessage());
        }
    }
}
