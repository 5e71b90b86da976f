package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import dev.weir.load.population.Population;
import dev.weir.load.query.Correctness;
import dev.weir.load.query.Mix;
import dev.weir.load.query.Queries;
import dev.weir.load.query.ReplyView;
import dev.weir.load.query.Rule;
import dev.weir.wire.Protocol;
import org.HdrHistogram.Histogram;

/**
 * An open-loop load of checks at a moderate fixed rate, half of them for stored hashes. Latency counts from the moment
 * at which a check was due, so a server that pauses is charged for every check that waits.
 *
 * <p>Unlike {@link dev.weir.load.stream.Generator}, this load sleeps between checks and blocks while it waits for
 * replies. It leaves the processors to the server and to the load that runs beside it. One thread sends and one
 * receives between {@link #start} and {@link #finish}.
 */
public final class CheckLoad {
    /** Maximum number of outstanding checks; older ones count as lost. A power of two. */
    private static final int RING = 1 << 17;

    private static final int SOCKET_BUFFER = 4 << 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Parking overshoots by about this much, so the last part of a pause is spent spinning. */
    private static final long AWAKE_NANOS = 80_000;

    private static final long SEED = 0x5eed_0000_0000_0001L;
    private static final Mix MIX = Mix.parse("miss=1,exact=1");

    /**
     * The checks to send.
     *
     * @param known hashes that the storage holds, at least one
     * @param perSecond checks per second, 1..20000
     * @param shingles whether the hashes have shingles
     */
    public record Plan(Population known, int perSecond, boolean shingles) {
        /** Checks of hashes with shingles. */
        public Plan(Population known, int perSecond) {
            this(known, perSecond, true);
        }

        /** Rejects rates that the ring has no room for. */
        public Plan {
            if (perSecond < 1 || perSecond > 20_000) {
                throw new IllegalArgumentException(perSecond + " checks a second: between 1 and 20000");
            }
        }
    }

    /**
     * The outcome of a load.
     *
     * @param sent checks that were due within the measured time
     * @param unanswered checks among them without a reply two seconds after the last one was sent
     * @param wrong replies that are not exactly right, or refuse
     * @param latency from due to answered in nanoseconds; an unanswered check counts with the time spent waiting for it
     * @param lag from due to sent in nanoseconds: the part of the latency that the generator itself causes
     */
    public record Result(long sent, long unanswered, long wrong, Histogram latency, Histogram lag) {
        /** Returns the sum of this and another result. */
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
    private volatile long endAt;
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

    /**
     * Starts to send.
     *
     * @throws IOException if no socket can be opened
     */
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

    /** Sends no more requests, and waits until late replies have arrived or are given up. */
    public Result end() throws IOException, InterruptedException {
        endAt = System.nanoTime();
        return finish();
    }

    /** Waits until the time is over and late replies have arrived or are given up. */
    public Result finish() throws IOException, InterruptedException {
        sender.join();
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (outstanding() > 0 && System.nanoTime() < giveUp) {
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

    private int outstanding() {
        int outstanding = 0;
        for (int i = 0; i < RING; i++) {
            outstanding += due.get(i) == 0 ? 0 : 1;
        }
        return outstanding;
    }

    private Queries queries() {
        return new Queries(plan.known(), MIX, Rule.COUNT, plan.shingles(), SEED);
    }

    private void send() {
        Queries queries = queries();
        byte[] bytes = new byte[Queries.MAX_BYTES];
        ByteBuffer out = ByteBuffer.allocateDirect(Queries.MAX_BYTES);
        long period = TimeUnit.SECONDS.toNanos(1) / plan.perSecond();
        int number = 0;
        for (long at = firstAt; at < endAt; at += period) {
            int length = queries.write(number, number, bytes, 0);
            out.clear().put(bytes, 0, length).flip();
            await(at);
            due.set(number & RING - 1, at);
            try {
                channel.write(out);
            } catch (PortUnreachableException e) {
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
        Queries queries = queries();
        ReplyView reply = new ReplyView();
        ByteBuffer in = ByteBuffer.allocateDirect(Protocol.MAX_DATAGRAM);
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        while (true) {
            in.clear();
            try {
                channel.read(in);
            } catch (PortUnreachableException e) {
                continue;
            } catch (IOException e) {
                // finish() has closed the channel.
                return;
            }
            long now = System.nanoTime();
            int length = in.flip().remaining();
            in.get(bytes, 0, length);
            if (reply.wrap(bytes, 0, length)) {
                record(queries, reply, now);
            }
        }
    }

    private void record(Queries queries, ReplyView reply, long now) {
        long since = due.getAndSet(reply.tag() & RING - 1, 0);
        if (since < measureFrom || since == 0) {
            return;
        }
        latency.recordValue(now - since);
        if (queries.judge(reply.tag(), reply) != Correctness.RIGHT) {
            wrong++;
        }
    }
}
