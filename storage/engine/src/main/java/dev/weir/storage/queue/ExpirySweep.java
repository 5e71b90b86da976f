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
 * from a hash before its renewal. If the {@link ExpiryHorizon} leaps, a sweep counts first, and an operator may have to
 * confirm it. For the writer's thread, except {@link #request}.
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
    private final ExpiryHorizon horizon;

    // For any thread.
    private final ConcurrentLinkedQueue<CompletableFuture<Long>> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    // For the writer's thread.
    private long due;
    private Step step = Step.IDLE;
    /** Where the next portion begins; 0 at the beginning of a step. */
    private int position;
    /** The second before which flags are expired, for all portions of a sweep. */
    private long before;
    /** The hashes that have expired flags, as far as they are counted. */
    private long counted;
    /** What one search found; empty between two searches. */
    private final List<Update.Expire> found = new ArrayList<>();

    /** The steps of a sweep. Counting comes first if the horizon leaps. */
    private enum Step {
        IDLE, COUNTING, REMOVING
    }

    /**
     * Creates a sweep that is due at once.
     *
     * @param clock the time by which hashes age
     * @param nanos a monotonic clock
     */
    ExpirySweep(HashIndex index, Timing timing, StorageClock clock, LongSupplier nanos, Role role, BatchLog log,
            Publisher publisher, UpdateCounts counts, ExpiryHorizon horizon) {
        this.index = index;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.role = role;
        this.log = log;
        this.publisher = publisher;
        this.counts = counts;
        this.horizon = horizon;
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
            sweepPortion();
            if (step == Step.IDLE) {
                due = nanos.getAsLong() + INTERVAL.toNanos();
            }
        }
    }

    private void sweepAll(CompletableFuture<Long> request) {
        long earlier = counts.expired();
        position = 0;
        if (step == Step.COUNTING) {
            rest();
        }
        Result result;
        do {
            result = sweepPortion();
        } while (result == Result.GOES_ON);
        switch (result) {
            case HELD -> request.completeExceptionally(new StorageException("the removal of " + counted
                    + " hashes waits for an operator: run weir control confirm --list"));
            case FAILED -> request.completeExceptionally(
                    new StorageException("the log cannot store the removal of expired flags"));
            default -> request.complete(counts.expired() - earlier);
        }
    }

    /** How a portion ended. */
    private enum Result {
        GOES_ON, DONE, HELD, FAILED
    }

    private void rest() {
        step = Step.IDLE;
        position = 0;
    }

    /** Examines some hashes, and counts or removes what has expired. */
    private Result sweepPortion() {
        // The leader removes what expires, and a follower removes it with the leader's update.
        if (horizon.isClosed() || !role.leads()) {
            horizon.withdraw();
            rest();
            return Result.DONE;
        }
        if (step == Step.IDLE) {
            before = horizon.wanted();
            counted = 0;
            step = horizon.isSteady(before) ? Step.REMOVING : Step.COUNTING;
        }
        position = index.collectExpired(position, PORTION, before, found);
        try {
            return step == Step.COUNTING ? count() : remove();
        } finally {
            found.clear();
        }
    }

    private Result count() {
        for (int i = 0; i < found.size(); i++) {
            // The flags of a hash follow each other.
            if (i == 0 || !found.get(i).digest().equals(found.get(i - 1).digest())) {
                counted++;
            }
        }
        if (position != 0) {
            return Result.GOES_ON;
        }
        if (horizon.mayLeap(before, counted, index.size())) {
            step = Step.REMOVING;
            return Result.GOES_ON;
        }
        rest();
        return Result.HELD;
    }

    private Result remove() {
        for (int from = 0; from < found.size(); from += log.batchSize()) {
            List<QueuedUpdate> batch = found.subList(from, Math.min(from + log.batchSize(), found.size())).stream()
                    .map(ExpirySweep::removal).toList();
            if (!log.commit(batch)) {
                rest();
                return Result.FAILED;
            }
            publisher.publish(batch, false);
            counts.addExpired(batch.size());
        }
        if (position != 0) {
            return Result.GOES_ON;
        }
        horizon.swept(before);
        rest();
        return Result.DONE;
    }

    private static QueuedUpdate removal(Update.Expire expire) {
        return new QueuedUpdate(expire, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NONE);
    }

    /**
     * Adds the removal of what has expired of a hash to a batch, before a renewal that would otherwise revive it.
     *
     * @return whether the hash may be renewed. Without a confirmation, flags beyond the steady horizon stay, and then
     * the
     *         renewal is left out
     */
    boolean addRemovalsBefore(Update.Refresh refresh, List<QueuedUpdate> batch) {
        if (timing.expireSeconds() <= 0) {
            return true;
        }
        long expired = Math.min(refresh.time(), clock.millis() / 1000) - timing.expireSeconds();
        try {
            index.collectExpired(refresh.digest(), expired, found);
            int all = found.size();
            long steady = Math.min(expired, horizon.reached());
            if (all > 0 && steady < expired) {
                found.clear();
                index.collectExpired(refresh.digest(), steady, found);
            }
            if (found.size() < all) {
                return false;
            }
            found.forEach(expire -> batch.add(removal(expire)));
            return true;
        } finally {
            found.clear();
        }
    }

    /** Cancels the requests that are left, and those that come later. */
    void end() {
        ended = true;
        requests.forEach(request -> request.cancel(false));
    }
}
