package dev.weir.storage.transfer.storage;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;

/** Updates on their way to an engine, as many at once as its queue takes. For one thread. */
final class Sending implements QueuedUpdate.Outcome {
    private static final long PAUSE_NANOS = 100_000;

    private final StorageEngine engine;
    private final AtomicLong outcomes = new AtomicLong();
    private volatile boolean failed;
    private long sent;

    Sending(StorageEngine engine) {
        this.engine = engine;
    }

    /** Sends an update. Waits while the queue is full. */
    void send(Update update) throws StorageException {
        QueuedUpdate queued = new QueuedUpdate(update, UpdateOrigin.IMPORT, this);
        while (!failed && !engine.hashes().offer(queued)) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        if (failed) {
            finish();
        }
        sent++;
    }

    /**
     * Waits until all updates are on disk.
     *
     * @throws StorageException if some could not be stored
     */
    void finish() throws StorageException {
        while (outcomes.get() < sent) {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        if (failed) {
            throw new StorageException("the storage refuses updates: " + engine.stats().troubles());
        }
    }

    @Override
    public void stored() {
        outcomes.incrementAndGet();
    }

    @Override
    public void failed() {
        failed = true;
        outcomes.incrementAndGet();
    }
}
