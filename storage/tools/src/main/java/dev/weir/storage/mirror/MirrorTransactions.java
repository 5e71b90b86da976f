package dev.weir.storage.mirror;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.DatabaseLockedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogReleasedException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RunningChecksum;
import dev.weir.storage.log.UpdateLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copying of updates from the log to a backend, in transactions. While the storage runs, no other thread uses the
 * backend.
 */
public final class MirrorTransactions implements Closeable {
    /** The reason if the log may delete updates that the backend lacks, and did. */
    static final String BEHIND = "it fell behind, and the update log does not have what it lacks";

    private static final Logger LOG = LoggerFactory.getLogger(MirrorTransactions.class);

    /**
     * The maximum number of updates in one transaction. More are split into several transactions, each with its own
     * revision and about a second of work, because bursts are detected between transactions only.
     */
    public static final int MAX_BATCH = 10_000;
    private static final int MIN_BATCH = 500;

    /** The factor by which updates must arrive faster than the backend stores them to be a burst. */
    private static final long BURST = 3;

    /** The part of the log that a burst may fill while the backend waits for its end: a quarter. */
    private static final int BURST_PART = 4;

    /** The interval at which the feeder checks whether a burst is over, short enough for the smallest log. */
    private static final Duration BURST_LOOK = Duration.ofMillis(50);

    private static final Duration COMPACT_INTERVAL = Duration.ofHours(1);

    private final UpdateLog log;
    private final LogReader reader;
    private final Fed fed;
    private final ConsumerHealth health;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Semaphore wake = new Semaphore(0);
    private volatile boolean finishing;
    private volatile long deadline;
    private volatile String damage = "";
    private volatile long reached;
    private volatile boolean cutOff;

    /** Whether the connection may be useless since a failure. SQLite leaves statements that fail forever. */
    private volatile boolean broken;
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
    public record Fed(String name, HashDatabase backend, long reached, OptionalLong history, LongConsumer released) {}

    /**
     * Creates a feeder.
     *
     * @param health receives the place of the backend, and why it cannot be written
     * @param nanos a monotonic clock
     */
    public MirrorTransactions(UpdateLog log, Fed fed, ConsumerHealth health, InstantSource clock, LongSupplier nanos) {
        this.log = log;
        this.reader = log.reader(fed.reached() + 1);
        this.fed = fed;
        this.reached = fed.reached();
        this.history = fed.history();
        this.health = health;
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

    /** Returns how damage was found; empty if there is none. Any thread may ask. */
    String damage() {
        return damage;
    }

    /** Makes {@link #feed} end after the present transaction when the time is over. Any thread may call it. */
    public void finish(Duration atMost) {
        deadline = nanos.getAsLong() + atMost.toNanos();
        finishing = true;
        wake.release();
    }

    /**
     * Copies everything that is there. Returns false if the backend or the log failed.
     *
     * @param asked whether somebody waits for it, so that it lets no burst pass first
     */
    public boolean feed(boolean asked) {
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
                health.reached(reached);
                health.works();
                if (!asked && log.durable() - before > BURST * applied) {
                    letBurstPass(rate);
                }
                // The end may have been requested during this turn.
                if (finishing && nanos.getAsLong() - deadline >= 0) {
                    return true;
                }
            }
            health.reached(reached);
            health.works();
            return true;
        } catch (StorageException | RuntimeException e) {
            boolean gone = unapplied.isEmpty() && e instanceof LogReleasedException;
            broken |= !unapplied.isEmpty() && !(e instanceof DatabaseLockedException);
            cutOff = gone;
            noteDamage(e);
            health.reached(reached);
            health.failed(gone ? BEHIND : String.valueOf(e.getMessage()), e);
            return false;
        }
    }

    private void pause(Duration time) {
        try {
            if (!finishing && wake.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for the next sync; going on");
        }
    }

    /** Returns the next updates that every later start will find, so that the backend never gets ahead of the log. */
    private List<LoggedUpdate> read() throws StorageException {
        long there = log.tip().revision() - reader.next() + 1;
        return there <= 0 ? List.of() : reader.read((int) Math.min(batch, there));
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
        while (!finishing && log.bytes() < log.maxBytes() / BURST_PART) {
            long from = nanos.getAsLong();
            long before = log.durable();
            pause(BURST_LOOK);
            if (log.durable() - before <= BURST * rate * (nanos.getAsLong() - from)) {
                return;
            }
        }
    }

    private void noteDamage(Exception e) {
        if (e instanceof DatabaseDamagedException) {
            damage = String.valueOf(e.getMessage());
        }
    }

    /** Compacts the backend about once an hour. */
    void compactIfDue() {
        if (finishing || nanos.getAsLong() - compactDue < 0) {
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
        reader.close();
    }
}
