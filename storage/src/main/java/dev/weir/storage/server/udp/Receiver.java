package dev.weir.storage.server.udp;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.reply.ReturnPath;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.Tally;
import dev.weir.wire.Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A socket and the loop around it: takes what is there, has it handled, and sends the replies together. */
public final class Receiver implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Receiver.class);

    /**
     * Datagrams that are taken at once: enough to make the calls of the system cheap, few enough for the first of them
     * to have its answer within a fraction of a millisecond.
     */
    private static final int BATCH = 64;

    /** What the kernel keeps for us while we are busy, in bytes; it may grant less. Some 4000 shingled checks. */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private static final int SEND_BUFFER = 1 << 20;

    /** Failures in a row after which receiving is given up. */
    private static final int MAX_FAILURES = 1_000;

    private final UdpSocket socket;
    private final Tally tally;
    private final Packets in = new Packets(BATCH, Protocol.MAX_DATAGRAM);
    private final Outbox out;
    private final Outbox late;
    private volatile boolean stopping;

    private Receiver(UdpSocket socket, Counters counters) {
        this.socket = socket;
        this.tally = counters.newTally();
        this.out = new Outbox(socket, BATCH, tally);
        this.late = new Outbox(socket, BATCH, counters.newTally());
    }

    /**
     * Binds an address for several receivers, among which the system deals out the datagrams by where they come from;
     * for one where the system cannot do that.
     *
     * @throws IOException if the system refuses, with its reason
     */
    public static List<Receiver> open(InetSocketAddress bind, int count, Counters counters) throws IOException {
        boolean shared = count > 1 && UdpSocket.canShareAddress();
        // Sockets that share an address would share it with another storage of the same user too: alone first.
        Receiver first = new Receiver(UdpSocket.bind(bind, options(false)), counters);
        if (!shared) {
            return List.of(first);
        }
        InetSocketAddress address = first.address();
        first.close();
        List<Receiver> receivers = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                receivers.add(new Receiver(UdpSocket.bind(address, options(true)), counters));
            }
            return receivers;
        } catch (Throwable e) {
            receivers.forEach(Receiver::close);
            throw e;
        }
    }

    private static UdpOptions options(boolean shared) {
        return new UdpOptions(RECEIVE_BUFFER, SEND_BUFFER, shared);
    }

    /** Returns the address that the socket is bound to. */
    public InetSocketAddress address() {
        return socket.local();
    }

    /** Receives, handles and answers until {@link #stop}. */
    public void run(DatagramHandler handler) {
        byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
        byte[] reply = new byte[DatagramHandler.MAX_REPLY];
        Sender sender = new Sender();
        int failures = 0;
        while (!stopping) {
            try {
                int count = socket.receive(in);
                failures = 0;
                for (int i = 0; i < count; i++) {
                    sender.packet = i;
                    int answer = handler.handle(datagram, in.copyTo(i, datagram), sender, reply);
                    if (answer > 0) {
                        out.add(reply, answer, in, i);
                    }
                }
                out.flush();
            } catch (IOException e) {
                tally.increment(Counter.RECEIVE_FAILED);
                failures++;
                if (failures == 1) {
                    LOG.warn("receiving on {} failed: {}", address(), e.getMessage());
                } else if (failures == MAX_FAILURES) {
                    throw new IllegalStateException("receiving on " + address() + " fails again and again", e);
                }
            }
        }
    }

    /** Sends the replies that came after their datagrams were gone; for the thread that makes those. */
    public void flushLate() {
        late.flush();
    }

    /** Makes {@link #run} return after the datagrams in hand; replies can still be sent. Any thread may call it. */
    public void stop() {
        stopping = true;
        socket.wake();
    }

    @Override
    public void close() {
        socket.close();
    }

    private final class Sender implements Peer {
        private int packet;

        @Override
        public InetAddress address() {
            return in.source(packet);
        }

        @Override
        public int port() {
            return in.sourcePort(packet);
        }

        @Override
        public void describe(Source target) {
            target.set(in.sourceHigh(packet), in.sourceLow(packet), false);
        }

        @Override
        public ReturnPath keep() {
            byte[] address = in.keepAddress(packet);
            return (reply, length) -> late.add(reply, length, address);
        }
    }
}
