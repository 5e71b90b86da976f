package dev.weir.storage.queue;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.index.HashIndex;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that changes backend and index.
 *
 * <p>It takes everything that waits and commits it together, so that one sync of the disk serves many clients; then it
 * makes the changes visible, and only then tells the clients. So what was acknowledged is on disk and the next check
 * sees it. A batch that cannot be committed changes nothing, and its clients are told so.
 *
 * <p>Between batches it removes expired flags, a bounded number at a time, so that updates never wait long for that.
 */
public final class UpdateWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateWriter.class);

    /** Updates in one transaction: enough to share a sync among many, few enough for a fraction of a second. */
    private static final int MAX_BATCH = 1_024;

    /** Expired flags removed in one transaction. */
    private static final int MAX_EXPIRED = 1_000;

    /** Nobody sees an expired hash, so removing it is only about space: once a minute is often. */
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    /** Longest sleep, after which {@link #finish} is noticed at the latest. */
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(50);

    private final UpdateQueue queue;
    private final Backend backend;
    private final HashIndex index;
    private final long expireSeconds;
    private final InstantSource clock;
    private final ConcurrentLinkedQueue<CompletableFuture<Long>> sweepRequests = new ConcurrentLinkedQueue<>();
    private final LongAdder batches = new LongAdder();
    private final LongAdder stored = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private volatile boolean finishing;
    private volatile long revision;
    private long sweepDue;
    private boolean failing;

    /**
     * A writer; {@link #run} is to be given a thread.
     *
     * @param expireSeconds age after which a flag is removed; 0 or less keeps everything
     * @param revision of the last batch that the backend has
     */
    public UpdateWriter(UpdateQueue queue, Backend backend, HashIndex index, long expireSeconds, InstantSource clock,
            long revision) {
        this.queue = queue;
        this.backend = backend;
        this.index = index;
        this.expireSeconds = expireSeconds;
        this.clock = clock;
        this.revision = revision;
        this.sweepDue = System.nanoTime();
    }

    /** Batches that were committed since the start. */
    public long batches() {
        return batches.sum();
    }

    /** Updates that were stored since the start. */
    public long stored() {
        return stored.sum();
    }

    /** Updates that could not be stored since the start. */
    public long failed() {
        return failed.sum();
    }

    /** Flags that were removed since the start because of their age. */
    public long expired() {
        return expired.sum();
    }

    /** Number of the last batch that is on disk. */
    public long revision() {
        return revision;
    }

    /** Asks for an immediate removal of everything expired; gives how many flags that were. */
    public CompletableFuture<Long> sweep() {
        CompletableFuture<Long> request = new CompletableFuture<>();
        sweepRequests.add(request);
        return request;
    }

    /** Lets {@link #run} return once the queue is empty. Nothing may be offered to the queue any more. */
    public void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        List<PendingUpdate> batch = new ArrayList<>(MAX_BATCH);
        while (true) {
            boolean last = finishing;
            PendingUpdate first = next();
            if (first != null) {
                batch.add(first);
                queue.drainTo(batch, MAX_BATCH - 1);
                store(batch);
                batch.clear();
            } else if (last) {
                break;
            }
            if (System.nanoTime() - sweepDue >= 0) {
                sweepOnce(null);
            }
            for (CompletableFuture<Long> request = sweepRequests.poll(); request != null; request = sweepRequests
                    .poll()) {
                sweepOnce(request);
            }
        }
        for (CompletableFuture<Long> request : sweepRequests) {
            request.cancel(false);
        }
    }

    private @Nullable PendingUpdate next() {
        try {
            return queue.poll(finishing ? 0 : Math.clamp(sweepDue - System.nanoTime(), 0, MAX_WAIT));
        } catch (InterruptedException e) {
            // Nobody has a reason to interrupt this thread, and stopping without draining would lose updates.
            LOG.warn("interrupted while waiting for updates; going on");
            return null;
        }
    }

    private void store(List<PendingUpdate> batch) {
        List<Update> updates = new ArrayList<>(batch.size());
        for (PendingUpdate pending : batch) {
            updates.add(pending.update());
        }
        boolean committed = commit(new UpdateBatch(revision + 1, clock.millis() / 1000, updates));
        for (PendingUpdate pending : batch) {
            if (committed) {
                pending.outcome().stored();
            } else {
                pending.outcome().failed();
            }
        }
        (committed ? stored : failed).add(batch.size());
    }

    private boolean commit(UpdateBatch batch) {
        try {
            backend.apply(batch);
        } catch (StorageException | RuntimeException e) {
            // One line when it begins to fail, not one for each batch while a disk is full.
            if (!failing) {
                LOG.error("updates cannot be stored and are refused: {}", e.getMessage(), e);
                failing = true;
            }
            return false;
        }
        if (failing) {
            LOG.info("updates can be stored again");
            failing = false;
        }
        revision = batch.revision();
        batches.increment();
        for (Update update : batch.updates()) {
            index.apply(update);
        }
        return true;
    }

    /** Removes one portion; when more is due, comes back after the updates that wait. */
    private void sweepOnce(@Nullable CompletableFuture<Long> request) {
        long removed = 0;
        sweepDue = System.nanoTime() + SWEEP_INTERVAL.toNanos();
        try {
            List<Update.Delete> gone;
            do {
                gone = expireSeconds <= 0
                        ? List.of()
                        : backend.expire(clock.millis() / 1000 - expireSeconds, MAX_EXPIRED);
                for (Update.Delete delete : gone) {
                    index.apply(delete);
                }
                removed += gone.size();
            } while (request != null && gone.size() >= MAX_EXPIRED);
            if (gone.size() >= MAX_EXPIRED) {
                sweepDue = System.nanoTime();
            }
        } catch (StorageException | RuntimeException e) {
            LOG.error("removing expired hashes failed: {}", e.getMessage(), e);
            if (request != null) {
                request.completeExceptionally(e);
            }
            return;
        }
        expired.add(removed);
        if (request != null) {
            request.complete(removed);
        }
    }
}
