package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of batches into the log, which takes all of a batch or nothing. It syncs each batch or, with {@link
 * Acknowledge#QUEUED}, all batches of a second, and it reports when the log begins to fail and when it works again. For
 * the writer's thread, except where a method says otherwise.
 */
final class BatchLog {
    private static final Logger LOG = LoggerFactory.getLogger(BatchLog.class);

    /**
     * The maximum number of updates in one sync: enough for many clients, and few enough for a fraction of a second.
     */
    private static final int MAX_BATCH = 1_024;

    /** The maximum time for which a queued update waits for its sync, and the time between two attempts to repair. */
    private static final long FORCE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    private final UpdateLog log;
    private final Acknowledge acknowledge;
    private final LongSupplier nanos;
    private final UpdateQueue queue;
    private final GroupCommitDelay gathering;
    private final int batchSize;

    // For the writer's thread.
    /** Whether the operating system has updates that are not synced. */
    private boolean unforced;
    private long forceDue;
    private long retryDue;

    // For any thread.
    private final LongAdder forces = new LongAdder();
    private volatile boolean failing;

    /**
     * Creates the way into a log.
     *
     * @param queue the updates that wait for the next batch
     * @param gathering learns how long syncs take
     */
    BatchLog(UpdateLog log, Acknowledge acknowledge, LongSupplier nanos, UpdateQueue queue,
            GroupCommitDelay gathering) {
        this.log = log;
        this.acknowledge = acknowledge;
        this.nanos = nanos;
        this.queue = queue;
        this.gathering = gathering;
        this.batchSize = Math.min(MAX_BATCH, log.room());
        this.retryDue = nanos.getAsLong();
    }

    /** Returns the maximum number of updates in a batch. */
    int batchSize() {
        return batchSize;
    }

    /** Returns the number of syncs since the start. Any thread may ask. */
    long forces() {
        return forces.sum();
    }

    /** Returns whether the log could not be written last time. Any thread may ask. */
    boolean isFailing() {
        return failing;
    }

    /**
     * Writes a batch, to the disk unless updates are acknowledged earlier.
     *
     * @return whether the log has all of it; otherwise it has nothing of it, because a batch fits into its buffer
     */
    boolean commit(List<QueuedUpdate> updates) {
        return commit(updates, acknowledge);
    }

    /** Writes a batch to the disk, whenever updates are acknowledged. Returns the same as {@link #commit(List)}. */
    boolean commitDurably(List<QueuedUpdate> updates) {
        return commit(updates, Acknowledge.DURABLE);
    }

    private boolean commit(List<QueuedUpdate> updates, Acknowledge when) {
        if (updates.isEmpty()) {
            return true;
        }
        if (log.room() < updates.size() && !force()) {
            return false;
        }
        for (QueuedUpdate pending : updates) {
            LoggedUpdate led = pending.led();
            if (led == null) {
                log.add(pending.origin(), pending.update());
            } else {
                log.add(led.millis(), pending.origin(), pending.update());
            }
        }
        if (!(when == Acknowledge.DURABLE ? forceBatch(updates.size()) : write())) {
            log.discard();
            return false;
        }
        return true;
    }

    private boolean forceBatch(int size) {
        long before = nanos.getAsLong();
        if (!force()) {
            return false;
        }
        gathering.synced(nanos.getAsLong() - before, size, queue.size());
        return true;
    }

    private boolean force() {
        if (!succeeds(log::force)) {
            return false;
        }
        forces.increment();
        unforced = false;
        return true;
    }

    /** Passes the batch to the operating system. */
    private boolean write() {
        if (!succeeds(log::write)) {
            return false;
        }
        if (!unforced) {
            unforced = true;
            forceDue = nanos.getAsLong() + FORCE_INTERVAL;
        }
        return true;
    }

    /** Syncs what the operating system has, if anything. */
    void forceWritten() {
        if (unforced) {
            forceDue = nanos.getAsLong() + FORCE_INTERVAL;
            force();
        }
    }

    /** Syncs what the operating system has had for long enough. */
    void forceIfDue() {
        if (unforced && nanos.getAsLong() - forceDue >= 0) {
            forceWritten();
        }
    }

    /** Repeats what failed without an update, so that waiting clients learn soon that the log works again. */
    void retryIfDue() {
        if (!log.needsRetry() || nanos.getAsLong() - retryDue < 0) {
            return;
        }
        retryDue = nanos.getAsLong() + FORCE_INTERVAL;
        succeeds(log::retry);
    }

    /** An operation that passes the batch on. */
    @FunctionalInterface
    private interface LogStep {
        void run() throws StorageException;
    }

    private boolean succeeds(LogStep step) {
        try {
            step.run();
        } catch (StorageException e) {
            failed(e);
            return false;
        }
        recovered();
        return true;
    }

    /** Reports that the log cannot be written. */
    void failed(StorageException e) {
        // One message at the beginning of a failure instead of one for each batch.
        if (!failing) {
            long queued = log.handed() - log.durable();
            LOG.error("updates cannot be stored and are refused{}: {}",
                    queued == 0 ? "" : "; " + queued + " that were acknowledged as queued are not on disk yet",
                    e.getMessage(), e);
            failing = true;
        }
    }

    private void recovered() {
        if (failing) {
            LOG.info("updates can be stored again");
            failing = false;
        }
    }
}
