package dev.weir.storage.server.udp;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.reply.ReturnPath;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.server.stats.ThreadCounters;
import dev.weir.storage.server.stats.WorkClock;
import dev.weir.wire.Protocol;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A UDP socket with its receive loop, which handles the available datagrams and sends their replies in batches. */
public final class Receiver implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Receiver.class);

    /**
     * The most datagrams per batch: enough to amortize system calls, and few enough to answer the first one quickly.
     */
    private static final int BATCH = 64;

    /**
     * The requested size of the kernel's receive buffer in bytes, enough for about 4000 checks with shingles. The
     * kernel may grant less.
     */
    private static final int RECEIVE_BUFFER = 4 << 20;

    private static final int SEND_BUFFER = 1 << 20;

    /** The number of consecutive failures after which the receiver gives up. */
    private static final int MAX_FAILURES = 1_000;

    private final UdpSocket socket;
    private final ThreadCounters tally;
    private final Packets in = new Packets(BATCH, Protocol.MAX_DATAGRAM);
    private final Outbox out;
    private final Outbox late;
    private final WorkClock work = new WorkClock();
    private volatile boolean stopping;

    private Receiver(UdpSocket socket, Counters counters) {
        this.socket = socket;
        this.tally = counters.newTally();
        this.out = new Outbox(socket, BATCH, tally);
        this.late = new Outbox(socket, BATCH, counters.newTally());
    }

    /**
     * Binds several receivers to an address. The system distributes datagrams among them by source. Binds a single
     * receiver if the system does not support that.
     *
     * @throws IOException if the system refuses
     */
    public static List<Receiver> open(InetSocketAddress bind, int count, Counters counters) throws IOException {
        boolean shared = count > 1 && UdpSocket.canShareAddress();
        // Shared sockets would also share the address with another storage of the same user, so first bind it
        // exclusively.
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
                long received = System.nanoTime();
                work.begin(received);
                for (int i = 0; i < count; i++) {
                    sender.packet = i;
                    int answer = handler.handle(datagram, in.copyTo(i, datagram), sender, reply);
                    if (answer > 0) {
                        out.add(reply, answer, in, i);
                    }
                }
                out.flush();
                tally.answered(count, System.nanoTime() - received);
                work.end();
            } catch (IOException e) {
                tally.increment(Counter.RECEIVE_FAILED);
                failures++;
                if (failures == 1) {
                    LOG.warn("cannot receive on {}: {}", address(), Reason.of(e));
                } else if (failures == MAX_FAILURES) {
                    throw new IllegalStateException("receiving on " + address() + " fails repeatedly", e);
                }
            }
        }
    }

    /** Returns for how many nanoseconds {@link #run} has been working on its current batch; 0 while it waits. */
    public long working(long now) {
        return work.working(now);
    }

    /** Sends late replies. Called by the thread that creates them. */
    public void flushLate() {
        late.flush();
    }

    /** Makes {@link #run} return after the current batch. Late replies can still be sent. Any thread may call this. */
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
