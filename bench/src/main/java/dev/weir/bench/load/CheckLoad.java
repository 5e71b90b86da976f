package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import dev.weir.wire.Protocol;
import dev.weir.wire.reply.Reply;
import org.HdrHistogram.Histogram;

/**
 * Checks at a fixed rate, whatever the answers do (open loop): one half for hashes that the storage knows, the other
 * half
 * for texts that it does not. Latency counts from the moment at which a check was due, so a server that stands still is
 * charged for every check that waits, not for one.
 *
 * <p>A thread sends and a thread receives; both are on their own between {@link #start} and {@link #finish}.
 */
public final class CheckLoad {
    /** Checks that may be unanswered at a time; older ones are taken for lost. A power of two. */
    private static final int RING = 1 << 17;

    private static final int SOCKET_BUFFER = 4 << 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Parking is late by about this much, so the last part of a pause is spent awake. */
    private static final long AWAKE_NANOS = 80_000;

    /** Makes the unknown hashes differ from all that are learned. */
    private static final long UNKNOWN = 0x5eed_0000_0000_0001L;

    /**
     * What is asked.
     *
     * @param known the list whose first numbers the storage knows
     * @param knownCount how many of them
     * @param perSecond checks a second, at most 20000
     */
    public record Plan(Learns known, int knownCount, int perSecond) {
        /** Refuses rates that the ring has no room for. */
        public Plan {
            if (perSecond < 1 || perSecond > 20_000 || knownCount < 1) {
                throw new IllegalArgumentException(perSecond + " checks a second for " + knownCount + " hashes");
            }
        }
    }

    /**
     * What became of them.
     *
     * @param sent checks that were due within the measured time
     * @param unanswered those of them that had no answer two seconds after the last one was sent
     * @param wrong answers that miss a known hash or find an unknown one
     * @param latency from due to answered in nanoseconds; an unanswered one counts with the time that was waited for it
     * @param lag from due to sent in nanoseconds: what of the latency is the generator's own
     */
    public record Result(long sent, long unanswered, long wrong, Histogram latency, Histogram lag) {
        /** This and another one together. */
        public Result plus(Result other) {
            Histogram latencies = latency.copy();
            latencies.add(other.latency);
            Histogram lags = lag.copy();
            lags.add(other.lag);
            return new Result(sent + other.sent, unanswered + other.unanswered, wrong + other.wrong, latencies, lags);
        }
    }

    private final Plan plan;
    private final DatagramChannel channel;
    private final long firstAt;
    private final long measureFrom;
    private final long endAt;
    private final AtomicLongArray due = new AtomicLongArray(RING);
    private final Histogram latency = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Histogram lag = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Thread sender;
    private final Thread receiver;
    private long sent;
    private long wrong;

    private CheckLoad(Plan plan, DatagramChannel channel, long warmUpNanos, long measuredNanos) {
        this.plan = plan;
        this.channel = channel;
        this.firstAt = System.nanoTime();
        this.measureFrom = firstAt + warmUpNanos;
        this.endAt = measureFrom + measuredNanos;
        this.sender = Thread.ofPlatform().name("checks-out").daemon().unstarted(this::send);
        this.receiver = Thread.ofPlatform().name("checks-in").daemon().unstarted(this::receive);
    }

    /** Begins to send. */
    public static CheckLoad start(InetSocketAddress storage, Plan plan, LearnLoad.Extent.Time time) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            channel.connect(storage);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        CheckLoad load = new CheckLoad(plan, channel, time.warmUp().toNanos(), time.measured().toNanos());
        load.receiver.start();
        load.sender.start();
        return load;
    }

    /** Waits for the end of the time and for late answers. */
    public Result finish() throws IOException, InterruptedException {
        sender.join();
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (open() > 0 && System.nanoTime() < giveUp) {
            Thread.sleep(10);
        }
        channel.close();
        receiver.join();
        long now = System.nanoTime();
        long unanswered = 0;
        for (int i = 0; i < RING; i++) {
            long since = due.get(i);
            if (since >= measureFrom && since != 0) {
                unanswered++;
                latency.recordValue(now - since);
            }
        }
        return new Result(sent, unanswered, wrong, latency, lag);
    }

    private int open() {
        int open = 0;
        for (int i = 0; i < RING; i++) {
            open += due.get(i) == 0 ? 0 : 1;
        }
        return open;
    }

    private static boolean asksForKnown(int number) {
        return (number & 1) == 0;
    }

    private void send() {
        Learns unknown = new Learns(UNKNOWN);
        Learns.Requests requests = new Learns.Requests();
        byte[] bytes = new byte[Learns.REQUEST];
        ByteBuffer out = ByteBuffer.allocateDirect(Learns.REQUEST);
        long period = TimeUnit.SECONDS.toNanos(1) / plan.perSecond();
        int number = 0;
        for (long at = firstAt; at < endAt; at += period) {
            if (asksForKnown(number)) {
                requests.check(plan.known(), number / 2 % plan.knownCount(), number, bytes);
            } else {
                requests.check(unknown, number, number, bytes);
            }
            out.clear().put(bytes).flip();
            await(at);
            due.set(number & RING - 1, at);
            try {
                channel.write(out);
            } catch (PortUnreachableException nobodyThere) {
                // Counts as unanswered.
            } catch (IOException e) {
                return;
            }
            if (at >= measureFrom) {
                sent++;
                lag.recordValue(Math.max(0, System.nanoTime() - at));
            }
            number++;
        }
    }

    private static void await(long at) {
        long left = at - System.nanoTime();
        while (left > 0) {
            if (left > AWAKE_NANOS) {
                LockSupport.parkNanos(left - AWAKE_NANOS);
            } else {
                Thread.onSpinWait();
            }
            left = at - System.nanoTime();
        }
    }

    private void receive() {
        ByteBuffer in = ByteBuffer.allocateDirect(Protocol.MAX_DATAGRAM);
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        while (true) {
            in.clear();
            try {
                channel.read(in);
            } catch (PortUnreachableException nobodyThere) {
                continue;
            } catch (ClosedChannelException finished) {
                return;
            } catch (IOException e) {
                return;
            }
            long now = System.nanoTime();
            int length = in.flip().remaining();
            in.get(bytes, 0, length);
            Reply.decode(bytes, 0, length).ifPresent(reply -> answered(reply, now));
        }
    }

    private void answered(Reply reply, long now) {
        long since = due.getAndSet(reply.tag() & RING - 1, 0);
        if (since < measureFrom || since == 0) {
            return;
        }
        latency.recordValue(now - since);
        if (reply.isMatch() != asksForKnown(reply.tag())) {
            wrong++;
        }
    }
}
