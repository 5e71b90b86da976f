package dev.weir.storage.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateOrigin;

/**
 * The removal of expired flags: once a minute from all hashes, a bounded portion of the index between two batches, and
 * from a hash before its renewal. For the writer's thread, except {@link #request}.
 */
final class ExpirySweep {
    /** The number of hashes that are examined between two batches, in about a millisecond. */
    private static final int PORTION = 50_000;

    /** The interval of removals. Expired hashes are invisible, so removal only saves space. */
    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final HashIndex index;
    private final Timing timing;
    private final StorageClock clock;
    private final LongSupplier nanos;
    private final Role role;
    private final BatchLog log;
    private final Publisher publisher;
    private final UpdateCounts counts;

    // For any thread.
    private final ConcurrentLinkedQueue<CompletableFuture<Long>> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    // For the writer's thread.
    private long due;
    /** Where the next portion begins; 0 between two sweeps. */
    private int position;
    /** The second before which flags are expired, for all portions of a sweep. */
    private long before;
    /** What one search found; empty between two searches. */
    private final List<Update.Expire> found = new ArrayList<>();

    /**
     * Creates a sweep that is due at once.
     *
     * @param clock the time by which hashes age
     * @param nanos a monotonic clock
     */
    ExpirySweep(HashIndex index, Timing timing, StorageClock clock, LongSupplier nanos, Role role, BatchLog log,
            Publisher publisher, UpdateCounts counts) {
        this.index = index;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.role = role;
        this.log = log;
        this.publisher = publisher;
        this.counts = counts;
        this.due = nanos.getAsLong();
    }

    /**
     * Requests the immediate removal of everything expired. Any thread may call it.
     *
     * @return completes as {@link UpdateWriter#sweep}
     */
    CompletableFuture<Long> request() {
        CompletableFuture<Long> request = new CompletableFuture<>();
        requests.add(request);
        if (ended) {
            request.cancel(false);
        }
        return request;
    }

    /** Returns the time in nanoseconds until the next portion is due; less than 0 if it is overdue. */
    long dueIn() {
        return due - nanos.getAsLong();
    }

    /** Removes everything expired if that was requested, or examines one portion if it is due. */
    void runIfDue() {
        CompletableFuture<Long> request = requests.poll();
        if (request != null) {
            sweepAll(request);
        } else if (dueIn() <= 0) {
            sweepPortion(PORTION);
            if (position == 0) {
                due = nanos.getAsLong() + INTERVAL.toNanos();
            }
        }
    }

    private void sweepAll(CompletableFuture<Long> request) {
        long earlier = counts.expired();
        position = 0;
        boolean stored;
        do {
            stored = sweepPortion(Integer.MAX_VALUE);
        } while (stored && position != 0);
        if (stored) {
            request.complete(counts.expired() - earlier);
        } else {
            request.completeExceptionally(new StorageException("the log cannot store the removal of expired flags"));
        }
    }

    /** Examines some hashes and removes what has expired. Returns whether the log took the removals. */
    private boolean sweepPortion(int hashes) {
        long expireSeconds = timing.expireSeconds();
        if (expireSeconds <= 0 || !role.leads()) {
            // The leader removes what expires, and this node removes it with the leader's update.
            position = 0;
            return true;
        }
        if (position == 0) {
            before = clock.millis() / 1000 - expireSeconds;
        }
        int next = index.collectExpired(position, hashes, before, found);
        boolean stored = true;
        for (int from = 0; from < found.size(); from += log.batchSize()) {
            List<QueuedUpdate> batch = found.subList(from, Math.min(from + log.batchSize(), found.size())).stream()
                    .map(ExpirySweep::removal).toList();
            if (!log.commit(batch)) {
                next = 0;
                stored = false;
                break;
            }
            publisher.publish(batch, false);
            counts.addExpired(batch.size());
        }
        found.clear();
        position = next;
        return stored;
    }

    private static QueuedUpdate removal(Update.Expire expire) {
        return new QueuedUpdate(expire, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NONE);
    }

    /** Adds the removal of what has expired of a hash to a batch, before a renewal that would otherwise revive it. */
    void addRemovalsBefore(Update.Refresh refresh, List<QueuedUpdate> batch) {
        if (timing.expireSeconds() <= 0) {
            return;
        }
        long now = Math.min(refresh.time(), clock.millis() / 1000);
        index.collectExpired(refresh.digest(), now - timing.expireSeconds(), found);
        found.forEach(expire -> batch.add(removal(expire)));
        found.clear();
    }

    /** Cancels the requests that are left, and those that come later. */
    void end() {
        ended = true;
        requests.forEach(request -> request.cancel(false));
    }
}
