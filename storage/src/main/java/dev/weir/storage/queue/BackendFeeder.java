package dev.weir.storage.queue;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.os.ThreadScheduling;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries updates from the log to the backend, in one transaction each sync, and releases the log behind it. The only
 * thread that uses the backend while the storage runs.
 *
 * <p>Nothing waits for it: checks are answered from the index and learns from the log. While the backend cannot be
 * written the log grows, which {@link #failure} and the log of the program say, and it is tried again and again.
 */
public final class BackendFeeder implements LogFollower {
    private static final Logger LOG = LoggerFactory.getLogger(BackendFeeder.class);

    /**
     * Updates in one transaction at most. A sync with more is cut into several, each with its own revision, of about a
     * second's work each: whether there is a burst is only seen between them.
     */
    public static final int MAX_BATCH = 10_000;
    private static final int MIN_BATCH = 500;

    /** How often a failing backend is tried again, and how often that is logged. */
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration REMIND = Duration.ofMinutes(1);

    /** Arriving more than so many times as fast as the database takes them in, updates are a burst. */
    private static final long BURST = 3;

    /** The part of the log that a burst may fill while the database waits for its end: a quarter. */
    private static final int BURST_PART = 4;

    /** How often is looked whether a burst is over: often enough for the smallest log. */
    private static final Duration BURST_LOOK = Duration.ofMillis(50);

    /** Longer than anything runs, and short enough to be counted in nanoseconds. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final Duration COMPACT_INTERVAL = Duration.ofHours(1);

    private final UpdateLog log;
    private final LogReader reader;
    private final Backend backend;
    private final Timing timing;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Semaphore wake = new Semaphore(0);
    private final ConcurrentLinkedQueue<CompletableFuture<Long>> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean finishing;
    private volatile long deadline;
    private volatile boolean toTheEnd;
    private volatile String failure = "";
    private volatile String damage = "";
    private long remindDue;
    private long compactDue;
    private int batch = MIN_BATCH;

    /** What the reader gave and the backend has not taken yet. */
    private List<LoggedUpdate> unapplied = List.of();

    /**
     * A feeder; {@link #run} is to be given a thread.
     *
     * @param timing with the time between two transactions
     * @param nanos a clock that cannot be set
     */
    public BackendFeeder(UpdateLog log, Backend backend, Timing timing, InstantSource clock, LongSupplier nanos) {
        this.log = log;
        this.reader = log.reader(log.applied() + 1);
        this.backend = backend;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.compactDue = nanos.getAsLong() + COMPACT_INTERVAL.toNanos();
    }

    @Override
    public String failure() {
        return failure;
    }

    @Override
    public String damage() {
        return damage;
    }

    @Override
    public CompletableFuture<Long> sync() {
        CompletableFuture<Long> request = new CompletableFuture<>();
        requests.add(request);
        wake.release();
        return request;
    }

    @Override
    public void finish(Duration atMost) {
        finish(atMost, false);
    }

    @Override
    public void finish() {
        finish(FOREVER, true);
    }

    private void finish(Duration atMost, boolean whole) {
        deadline = nanos.getAsLong() + atMost.toNanos();
        toTheEnd = whole;
        finishing = true;
        wake.release();
    }

    @Override
    public void run() {
        // A database that takes a learn in takes a hundred times the work of the learn: it must not slow down answers.
        if (!ThreadScheduling.runInBackground()) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName());
        }
        try (reader) {
            while (true) {
                boolean last = finishing;
                boolean done = turn();
                if (last && (done || !toTheEnd)) {
                    break;
                }
                if (last) {
                    Thread.sleep(RETRY);
                } else {
                    pause(done ? timing.sync() : RETRY);
                }
            }
            requests.forEach(request -> request.cancel(false));
        } catch (IOException e) {
            LOG.debug("closing the log failed", e);
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for the database; what it has not got stays in the log");
        }
    }

    /** One sync; false when the backend or the log refused. */
    @Override
    public boolean turn() {
        // Only those that were there before: requests that arrive during this failure are answered by the next turn.
        List<CompletableFuture<Long>> asked = new ArrayList<>();
        for (CompletableFuture<Long> request = requests.poll(); request != null; request = requests.poll()) {
            asked.add(request);
        }
        boolean done = feed();
        answer(asked, done);
        if (done && !finishing) {
            compactIfDue();
        }
        return done;
    }

    private void pause(Duration time) {
        try {
            if (!finishing && requests.isEmpty() && wake.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for the next sync; going on");
        }
    }

    /** Applies what there is; false when the backend or the log refused. */
    private boolean feed() {
        try {
            while (true) {
                if (unapplied.isEmpty()) {
                    unapplied = reader.read(batch);
                }
                if (unapplied.isEmpty()) {
                    break;
                }
                long begun = nanos.getAsLong();
                long before = log.durable();
                backend.apply(LoggedUpdate.batch(unapplied, clock.millis() / 1000));
                int applied = unapplied.size();
                double rate = (double) applied / Math.max(1, nanos.getAsLong() - begun);
                batch = (int) Math.clamp(rate * TimeUnit.SECONDS.toNanos(1), MIN_BATCH, MAX_BATCH);
                log.release(unapplied.getLast().revision());
                unapplied = List.of();
                recovered();
                if (log.durable() - before > BURST * applied) {
                    letBurstPass(rate);
                }
                // Also when the end was asked for in the middle of this turn.
                if (finishing && nanos.getAsLong() - deadline >= 0) {
                    return true;
                }
            }
            recovered();
            return true;
        } catch (StorageException | RuntimeException e) {
            failed(e);
            return false;
        }
    }

    /**
     * Waits while updates arrive many times as fast as the backend takes them in. It could not keep up anyway, and
     * would only take processor and disk from them.
     *
     * @param rate updates that the backend took in a nanosecond
     */
    private void letBurstPass(double rate) {
        while (!finishing && requests.isEmpty() && log.bytes() < log.maxBytes() / BURST_PART) {
            long from = nanos.getAsLong();
            long before = log.durable();
            pause(BURST_LOOK);
            if (log.durable() - before <= BURST * rate * (nanos.getAsLong() - from)) {
                return;
            }
        }
    }

    private void failed(Exception e) {
        noteDamage(e);
        long waiting = log.durable() - log.applied();
        if (failure.isEmpty()) {
            LOG.error("the database cannot be written; {} updates wait in the log, checks and learns go on: {}",
                    waiting,
                    e.getMessage(), e);
            remindDue = nanos.getAsLong() + REMIND.toNanos();
        } else if (nanos.getAsLong() - remindDue >= 0) {
            LOG.error("the database still cannot be written; {} updates wait in {} MiB of log: {}", waiting,
                    log.bytes() >> 20, e.getMessage());
            remindDue = nanos.getAsLong() + REMIND.toNanos();
        }
        failure = String.valueOf(e.getMessage());
    }

    private void noteDamage(Exception e) {
        if (e instanceof DatabaseDamagedException) {
            damage = String.valueOf(e.getMessage());
        }
    }

    private void recovered() {
        if (!failure.isEmpty()) {
            LOG.info("the database can be written again");
            failure = "";
        }
    }

    private void answer(List<CompletableFuture<Long>> asked, boolean done) {
        for (CompletableFuture<Long> request : asked) {
            if (done) {
                request.complete(log.applied());
            } else {
                request.completeExceptionally(new StorageException(failure));
            }
        }
    }

    private void compactIfDue() {
        if (nanos.getAsLong() - compactDue < 0) {
            return;
        }
        compactDue = nanos.getAsLong() + COMPACT_INTERVAL.toNanos();
        long start = nanos.getAsLong();
        try {
            if (backend.compact(log.spareBytes())) {
                LOG.info("compacted the database in {} ms", (nanos.getAsLong() - start) / 1_000_000);
            }
        } catch (DatabaseDamagedException e) {
            noteDamage(e);
            LOG.error("{}", e.getMessage(), e);
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
