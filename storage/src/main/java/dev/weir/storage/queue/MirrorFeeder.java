package dev.weir.storage.queue;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.os.ThreadScheduling;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that copies updates to a mirror: a backend that has what a store has, for other programs. A mirror never
 * delays the storage. The log keeps updates for it while there is space for them. A mirror that falls further behind,
 * is lost or belongs to another storage must be built again from the store; this thread looks every few seconds whether
 * that has happened, and continues with the new one.
 */
public final class MirrorFeeder implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorFeeder.class);

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final UpdateLog log;
    private final BackendStore place;
    private final long storageId;
    private final Timing timing;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Semaphore wake = new Semaphore(0);
    private volatile @Nullable Following following;
    private volatile String away = "";
    private volatile boolean finishing;
    private volatile boolean toTheEnd;
    private volatile Duration atMost = Duration.ZERO;

    /** A mirror that can be followed. */
    private record Following(Backend backend, BackendFeeder feeder) {}

    /** A mirror that cannot be followed, with the reason. */
    private static final class AwayException extends Exception {
        private static final long serialVersionUID = 1L;

        AwayException(String reason) {
            super(reason);
        }
    }

    /**
     * Opens a mirror, or creates that of a new storage. Run {@link #run} in a thread, also if it cannot be opened.
     *
     * @param storageId the number of the storage
     * @param timing the time between two transactions
     * @param nanos a monotonic clock
     */
    public MirrorFeeder(UpdateLog log, BackendStore place, long storageId, Timing timing, InstantSource clock,
            LongSupplier nanos) {
        this.log = log;
        this.place = place;
        this.storageId = storageId;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        attach();
    }

    /** Returns the name of the mirror for messages. */
    public String name() {
        return "the mirror " + place.name();
    }

    /** Returns why the mirror cannot be written; empty if it can. Any thread may ask. */
    public String failure() {
        Following now = following;
        return now == null ? away : now.feeder().failure();
    }

    /** Returns the last update that the mirror has; -1 if it must be built again. Any thread may ask. */
    public long reached() {
        Following now = following;
        return now == null ? -1 : now.feeder().reached();
    }

    /** Brings the mirror up to date now. Completes with its revision, or with the failure. */
    public CompletableFuture<Long> sync() {
        Following now = following;
        if (now == null) {
            return CompletableFuture.failedFuture(new StorageException(name() + ": " + away));
        }
        CompletableFuture<Long> result = now.feeder().sync();
        wake.release();
        return result;
    }

    /** Makes {@link #run} return when the mirror has everything, it cannot be written, or the time is over. */
    public void finish(Duration most) {
        finish(most, false);
    }

    /** Makes {@link #run} return when the mirror has everything, however long that takes, or must be built again. */
    public void finish() {
        finish(Duration.ZERO, true);
    }

    private void finish(Duration most, boolean whole) {
        atMost = most;
        toTheEnd = whole;
        finishing = true;
        Following now = following;
        if (now != null) {
            tellEnd(now.feeder());
        }
        wake.release();
    }

    private void tellEnd(BackendFeeder feeder) {
        if (toTheEnd) {
            feeder.finish();
        } else {
            feeder.finish(atMost);
        }
    }

    @Override
    public void run() {
        if (!ThreadScheduling.runInBackground()) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName());
        }
        try {
            while (true) {
                boolean last = finishing;
                boolean done = turn();
                if (last && (done || !toTheEnd || following == null)) {
                    break;
                }
                Duration time = done ? timing.sync() : following == null ? LOOK : RETRY;
                if (wake.tryAcquire(last ? RETRY.toNanos() : time.toNanos(), TimeUnit.NANOSECONDS)) {
                    wake.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted while waiting for {}; the next start continues", name());
        } finally {
            detach();
        }
    }

    /** Brings the mirror up to date once. Returns false if that failed. */
    public boolean turn() {
        Following now = following;
        if (now == null) {
            attach();
            now = following;
        }
        if (now == null) {
            return false;
        }
        if (finishing) {
            tellEnd(now.feeder());
        }
        boolean done = now.feeder().turn();
        if (now.feeder().isCutOff()) {
            leave("it fell behind, and the update log no longer has what it lacks");
            detach();
        }
        return done;
    }

    private void attach() {
        try {
            following = open();
            away = "";
            LOG.info("{} follows from update {} on", name(), reached() + 1);
        } catch (AwayException e) {
            leave(String.valueOf(e.getMessage()));
        } catch (StorageException e) {
            LOG.debug("{} cannot be opened", name(), e);
            leave(String.valueOf(e.getMessage()));
        }
    }

    private Following open() throws StorageException, AwayException {
        boolean empty = isEmpty();
        Backend backend = empty ? place.open() : place.reopen();
        boolean followed = false;
        try {
            if (empty) {
                backend.adopt(storageId);
            }
            long reached = backend.revision();
            if (reached > log.durable()) {
                throw new AwayException("it has updates that the storage has lost");
            }
            if (!log.has(reached + 1)) {
                throw new AwayException("it is behind, and the update log no longer has what it lacks");
            }
            log.hold(reached);
            Following found = new Following(backend, new BackendFeeder(log,
                    new BackendFeeder.Fed(name(), backend, reached, log::hold), timing, clock, nanos));
            followed = true;
            return found;
        } finally {
            if (!followed) {
                backend.close();
            }
        }
    }

    /** Returns whether the mirror is to be begun. Changes nothing, because the place may belong to others. */
    private boolean isEmpty() throws StorageException, AwayException {
        if (!place.exists()) {
            if (!log.has(1)) {
                throw new AwayException("it does not exist");
            }
            return true;
        }
        try (BackendView view = place.view()) {
            if (view.hasState() && view.storageId() == storageId) {
                return false;
            }
            // An interrupted beginning leaves an empty mirror with another number.
            if (view.count() > 0 || !log.has(1)) {
                throw new AwayException("it belongs to another storage");
            }
            return true;
        }
    }

    private void leave(String reason) {
        if (!reason.equals(away)) {
            LOG.error("{} cannot follow: {}. Build it again with weir mirror", name(), reason);
        }
        away = reason;
    }

    private void detach() {
        Following now = following;
        following = null;
        if (now == null) {
            return;
        }
        try {
            now.feeder().close();
        } catch (IOException e) {
            LOG.debug("closing the log failed", e);
        }
        try {
            now.backend().close();
        } catch (StorageException e) {
            LOG.warn("{} cannot be closed: {}", name(), e.getMessage());
        }
    }
}
