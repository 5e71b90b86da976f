package dev.weir.storage.queue;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import dev.weir.os.ThreadScheduling;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.DatabaseLockedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogReleasedException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RunningChecksum;
import dev.weir.storage.log.UpdateLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that copies updates from the log to the backend, in one transaction for each sync interval, and releases
 * the log up to there. While the storage runs, no other thread uses the backend.
 *
 * <p>No client waits for it, because checks need only the index and updates only the log. While the backend cannot be
 * written, the log grows, {@link #failure} and the program's log report it, and the feeder keeps trying.
 */
public final class BackendFeeder implements LogFollower {
    /** The reason if the log may delete updates that the backend lacks, and did. */
    static final String BEHIND = "it fell behind, and the update log does not have what it lacks";

    private static final Logger LOG = LoggerFactory.getLogger(BackendFeeder.class);

    /**
     * The maximum number of updates in one transaction. More are split into several transactions, each with its own
     * revision and about a second of work, because bursts are detected between transactions only.
     */
    public static final int MAX_BATCH = 10_000;
    private static final int MIN_BATCH = 500;

    /** The interval of attempts and of log messages while the backend fails. */
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration REMIND = Duration.ofMinutes(1);

    /** The factor by which updates must arrive faster than the backend stores them to be a burst. */
    private static final long BURST = 3;

    /** The part of the log that a burst may fill while the backend waits for its end: a quarter. */
    private static final int BURST_PART = 4;

    /** The interval at which the feeder checks whether a burst is over, short enough for the smallest log. */
    private static final Duration BURST_LOOK = Duration.ofMillis(50);

    /** Longer than any process runs, and short enough to count in nanoseconds. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final Duration COMPACT_INTERVAL = Duration.ofHours(1);

    private final UpdateLog log;
    private final LogReader reader;
    private final Fed fed;
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
    private volatile long reached;
    private volatile boolean cutOff;

    /** Whether the connection may be useless since a failure. SQLite leaves statements that fail forever. */
    private volatile boolean broken;
    private long remindDue;
    private long compactDue;
    private int batch = MIN_BATCH;

    /** Updates that were read and are not in the backend yet. */
    private List<LoggedUpdate> unapplied = List.of();

    /** The running checksum of the log up to the revision of the backend, if it is known. */
    private OptionalLong history;

    /**
     * A backend to feed.
     *
     * @param name the name for messages
     * @param reached the revision of the backend
     * @param history the running checksum of the log up to there; empty if it is not known
     * @param released receives each revision that the backend reaches
     */
    public record Fed(String name, Backend backend, long reached, OptionalLong history, LongConsumer released) {}

    /**
     * Creates a feeder. Run {@link #run} in a thread.
     *
     * @param timing the time between two transactions
     * @param nanos a monotonic clock
     */
    public BackendFeeder(UpdateLog log, Fed fed, Timing timing, InstantSource clock, LongSupplier nanos) {
        this.log = log;
        this.reader = log.reader(fed.reached() + 1);
        this.fed = fed;
        this.reached = fed.reached();
        this.history = fed.history();
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.compactDue = nanos.getAsLong() + COMPACT_INTERVAL.toNanos();
    }

    /** Returns the revision of the backend. Any thread may ask. */
    long reached() {
        return reached;
    }

    /**
     * Returns whether the log no longer has the updates that the backend needs next, or cannot read them. Any thread
     * may ask.
     */
    boolean isCutOff() {
        return cutOff;
    }

    /** Returns whether the backend must be opened again. Any thread may ask. */
    boolean isBroken() {
        return broken;
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
        // Storing an update in a database takes a hundred times the work of the update, which must not slow down
        // replies.
        if (!ThreadScheduling.runInBackground()) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName());
        }
        try (this) {
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
        } catch (IOException e) {
            LOG.debug("closing the log failed", e);
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for {}; the updates that it lacks stay in the log", fed.name());
        }
    }

    /** Does one sync. Returns false if the backend or the log failed. */
    @Override
    public boolean turn() {
        // Only the requests made so far. The next turn answers those that arrive during this one.
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

    /** Applies the available updates. Returns false if the backend or the log failed. */
    private boolean feed() {
        try {
            while (true) {
                if (unapplied.isEmpty()) {
                    unapplied = read();
                }
                if (unapplied.isEmpty()) {
                    break;
                }
                long begun = nanos.getAsLong();
                long before = log.durable();
                OptionalLong next = historyAfter(unapplied);
                fed.backend().apply(LoggedUpdate.batch(unapplied, clock.millis() / 1000, next));
                history = next;
                int applied = unapplied.size();
                double rate = (double) applied / Math.max(1, nanos.getAsLong() - begun);
                batch = (int) Math.clamp(rate * TimeUnit.SECONDS.toNanos(1), MIN_BATCH, MAX_BATCH);
                reached = unapplied.getLast().revision();
                fed.released().accept(reached);
                unapplied = List.of();
                recovered();
                if (log.durable() - before > BURST * applied) {
                    letBurstPass(rate);
                }
                // The end may have been requested during this turn.
                if (finishing && nanos.getAsLong() - deadline >= 0) {
                    return true;
                }
            }
            recovered();
            return true;
        } catch (StorageException | RuntimeException e) {
            boolean gone = unapplied.isEmpty() && e instanceof LogReleasedException;
            broken |= !unapplied.isEmpty() && !(e instanceof DatabaseLockedException);
            cutOff = gone || (unapplied.isEmpty() && isUnreadable(e));
            failed(gone ? new StorageException(BEHIND, e) : e);
            return false;
        }
    }

    /** Returns the next updates that every later start will find, so that the backend never gets ahead of the log. */
    private List<LoggedUpdate> read() throws StorageException {
        long there = log.tip().revision() - reader.next() + 1;
        return there <= 0 ? List.of() : reader.read((int) Math.min(batch, there));
    }

    /** Returns whether the log will never give the next update, although it is not lost. */
    private boolean isUnreadable(Exception e) {
        return e instanceof LogDamagedException && log.applied() >= reader.next();
    }

    private OptionalLong historyAfter(List<LoggedUpdate> updates) throws StorageException {
        if (history.isEmpty()) {
            return log.checksumAt(updates.getLast().revision());
        }
        long sum = history.getAsLong();
        for (LoggedUpdate update : updates) {
            sum = RunningChecksum.after(sum, update);
        }
        return OptionalLong.of(sum);
    }

    /**
     * Waits while updates arrive many times as fast as the backend stores them. It could not keep up, and would only
     * compete for processor and disk.
     *
     * @param rate number of updates that the backend stores per nanosecond
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
        long waiting = log.durable() - reached;
        if (failure.isEmpty()) {
            LOG.error("{} cannot be written; {} updates wait in the log, checks and learns go on: {}", fed.name(),
                    waiting, e.getMessage(), e);
            remindDue = nanos.getAsLong() + REMIND.toNanos();
        } else if (nanos.getAsLong() - remindDue >= 0) {
            LOG.error("{} still cannot be written; {} updates wait in {} MiB of log: {}", fed.name(), waiting,
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
            LOG.info("{} can be written again", fed.name());
            failure = "";
        }
    }

    private void answer(List<CompletableFuture<Long>> asked, boolean done) {
        for (CompletableFuture<Long> request : asked) {
            if (done) {
                request.complete(reached);
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
            if (fed.backend().compact(log.spareBytes())) {
                LOG.info("compacted {} in {} ms", fed.name(), (nanos.getAsLong() - start) / 1_000_000);
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
        requests.forEach(request -> request.cancel(false));
        reader.close();
    }
}
