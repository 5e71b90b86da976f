package dev.weir.load.stream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A sender of query streams in one thread: it receives answers, sends the queries that are due, and repeats. It sleeps
 * only at low rates, while no answer is outstanding. It allocates at the start only.
 */
public final class Generator {
    /** A sleep ends this long before the next query is due, so that a late wake-up does not delay the query. */
    private static final long AWAKE_NANOS = 200_000;
    /** The longest sleep, so that {@link #stop} soon has an effect. */
    private static final long SLEEP_NANOS = 100_000_000;

    private final List<QueryStream> streams;
    private final LoadTiming timing;
    private volatile long answers;
    private volatile boolean stopped;
    private volatile double idle;

    /** Creates a generator of streams; {@link #run} starts it. */
    public Generator(List<QueryStream> streams, LoadTiming timing) {
        this.streams = List.copyOf(streams);
        this.timing = timing;
    }

    /** Returns the number of answers so far within the measured time. Any thread may call this. */
    public long answers() {
        return answers;
    }

    /**
     * Returns the share of the measured time with nothing to receive or send, from 0 to 1. Meaningful after the run.
     * Near 0, the rate may be that of the generator rather than that of the storage.
     */
    public double idle() {
        return idle;
    }

    /** Makes {@link #run} end soon. Any thread may call this. */
    public void stop() {
        stopped = true;
    }

    /**
     * Runs the load in the calling thread until its time is over and the last answers have arrived or are given up.
     *
     * @return the results of the streams, in their order
     * @throws IOException if a socket fails
     */
    public List<StreamResult> run() throws IOException {
        long startAt = System.nanoTime();
        long measureFrom = startAt + timing.warmUp().toNanos();
        long endAt = measureFrom + timing.measured().toNanos();
        List<StreamRun> runs = new ArrayList<>();
        for (QueryStream stream : streams) {
            runs.add(new StreamRun(stream, timing, startAt));
        }
        long idleNanos = 0;
        long now = startAt;
        while (!stopped && !isDone(runs, now)) {
            boolean busy = false;
            long sum = 0;
            for (int i = 0; i < runs.size(); i++) {
                busy |= runs.get(i).turn(now);
                sum += runs.get(i).progress();
            }
            answers = sum;
            long then = now;
            now = System.nanoTime();
            if (!busy) {
                rest(runs, now);
                idleNanos += then >= measureFrom && then < endAt ? now - then : 0;
            }
        }
        idle = idleNanos / (double) Math.max(1, Math.min(now, endAt) - measureFrom);
        List<StreamResult> results = new ArrayList<>();
        for (StreamRun run : runs) {
            results.add(run.finish(now));
        }
        return results;
    }

    private static void rest(List<StreamRun> runs, long now) {
        long next = Long.MAX_VALUE;
        for (int i = 0; i < runs.size(); i++) {
            next = Math.min(next, runs.get(i).nextAt(now));
        }
        if (next - now > AWAKE_NANOS) {
            LockSupport.parkNanos(Math.min(next - now - AWAKE_NANOS, SLEEP_NANOS));
        } else {
            Thread.onSpinWait();
        }
    }

    private static boolean isDone(List<StreamRun> runs, long now) {
        for (int i = 0; i < runs.size(); i++) {
            if (!runs.get(i).isDone(now)) {
                return false;
            }
        }
        return true;
    }
}
