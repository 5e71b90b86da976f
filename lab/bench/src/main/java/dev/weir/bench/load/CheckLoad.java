package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
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
public final class CheckLoad implements AutoCloseable {
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

        long periodNanos() {
            return TimeUnit.SECONDS.toNanos(1) / perSecond;
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
            return new Result(sent + other.sent, unanswered + other.unanswered, wrong + other.wrong,
                    Histograms.sum(latency, other.latency), Histograms.sum(lag, other.lag));
        }
    }

    /** The checks of the warm-up, or all others. The sender and the receiver change fields of their own. */
    private static final class Part {
        final Histogram latency = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
        final Histogram lag = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
        long sent;
        long unanswered;
        long wrong;

        Result result() {
            return new Result(sent, unanswered, wrong, latency, lag);
        }
    }

    private final Plan plan;
    private final DatagramChannel channel;
    private final long firstAt;
    private final WarmUp warmUp;
    private volatile long endAt;
    private final AtomicLongArray due = new AtomicLongArray(RING);
    private final Part early = new Part();
    private final Part measured = new Part();
    private final Thread sender;
    private final Thread receiver;

    private CheckLoad(Plan plan, DatagramChannel channel, long firstAt, WarmUp warmUp, long endAt) {
        this.plan = plan;
        this.channel = channel;
        this.firstAt = firstAt;
        this.warmUp = warmUp;
        this.endAt = endAt;
        this.sender = Thread.ofPlatform().name("checks-out").daemon().unstarted(this::send);
        this.receiver = Thread.ofPlatform().name("checks-in").daemon().unstarted(this::receive);
    }

    /**
     * Starts to send.
     *
     * @throws IOException if no socket can be opened
     */
    public static CheckLoad start(InetSocketAddress storage, Plan plan, LearnLoad.Extent.Time time) throws IOException {
        DatagramChannel channel = connect(storage);
        long now = System.nanoTime();
        return start(channel, plan, now, new WarmUp(now, time.warmUp()),
                now + time.warmUp().plus(time.measured()).toNanos());
    }

    /**
     * Starts to send.
     *
     * @param time the time of the load, with the warm-up
     * @throws IOException if no socket can be opened
     */
    public static CheckLoad start(InetSocketAddress storage, Plan plan, WarmUp warmUp, Duration time)
            throws IOException {
        DatagramChannel channel = connect(storage);
        long now = System.nanoTime();
        return start(channel, plan, now, warmUp, now + time.toNanos());
    }

    /**
     * Starts to send the same checks to another server. Each is due half a period after the same one of this load.
     * Otherwise the checks of this load would always go first, and the others wait for the work that they cause.
     *
     * @throws IOException if no socket can be opened
     */
    public CheckLoad startBeside(InetSocketAddress other) throws IOException {
        long later = plan.periodNanos() / 2;
        return start(connect(other), plan, firstAt + later, warmUp, endAt + later);
    }

    private static CheckLoad start(DatagramChannel channel, Plan plan, long firstAt, WarmUp warmUp, long endAt) {
        CheckLoad load = new CheckLoad(plan, channel, firstAt, warmUp, endAt);
        load.receiver.start();
        load.sender.start();
        return load;
    }

    private static DatagramChannel connect(InetSocketAddress storage) throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            channel.connect(storage);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        return channel;
    }

    /** Lets no more checks become due. Replies still count until {@link #finish} gives them up. */
    public void stop() {
        endAt = System.nanoTime();
        LockSupport.unpark(sender);
    }

    /**
     * Waits until the time is over and late replies have arrived or are given up, and returns the checks that were due
     * after the warm-up.
     */
    public Result finish() throws IOException, InterruptedException {
        sender.join();
        long giveUp = System.nanoTime() + PATIENCE_NANOS;
        while (outstanding() > 0 && System.nanoTime() < giveUp) {
            Thread.sleep(10);
        }
        channel.close();
        receiver.join();
        long now = System.nanoTime();
        for (int i = 0; i < RING; i++) {
            long since = due.get(i);
            if (since != 0) {
                Part part = part(since);
                part.unanswered++;
                part.latency.recordValue(now - since);
            }
        }
        return measured.result();
    }

    /** Returns the checks that were due in the warm-up, after {@link #finish}. */
    public Result early() {
        return early.result();
    }

    /** Ends the load without a result, if it has not ended. */
    @Override
    public void close() throws IOException {
        stop();
        channel.close();
    }

    private Part part(long since) {
        return warmUp.has(since) ? early : measured;
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
        long period = plan.periodNanos();
        int number = 0;
        for (long at = firstAt; at < endAt; at += period) {
            int length = queries.write(number, number, bytes, 0);
            out.clear().put(bytes, 0, length).flip();
            await(at);
            if (at >= endAt) {
                // The load was stopped meanwhile.
                return;
            }
            due.set(number & RING - 1, at);
            try {
                channel.write(out);
            } catch (PortUnreachableException e) {
                // Counts as unanswered.
            } catch (IOException e) {
                return;
            }
            Part part = part(at);
            part.sent++;
            part.lag.recordValue(Math.max(0, System.nanoTime() - at));
            number++;
        }
    }

    /** Waits until a check is due, or until the load is stopped. */
    private void await(long at) {
        long left = Math.min(at, endAt) - System.nanoTime();
        while (left > 0) {
            if (left > AWAKE_NANOS) {
                LockSupport.parkNanos(left - AWAKE_NANOS);
            } else {
                Thread.onSpinWait();
            }
            left = Math.min(at, endAt) - System.nanoTime();
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
        if (since == 0) {
            return;
        }
        Part part = part(since);
        part.latency.recordValue(now - since);
        if (queries.judge(reply.tag(), reply) != Correctness.RIGHT) {
            part.wrong++;
        }
    }
}
