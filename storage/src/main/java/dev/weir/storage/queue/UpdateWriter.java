package dev.weir.storage.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.os.ThreadScheduling;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that appends to the log.
 *
 * <p>It takes all waiting updates and writes them to the log together, so that one sync serves many clients. Then it
 * makes the changes visible, and only then the {@link Teller} replies to the clients. So an acknowledged update is on
 * disk, and the next check sees it. If the sync of a batch fails, the batch changes nothing and its clients get an
 * error. With {@link Acknowledge#QUEUED}, clients get their replies when the operating system has the batch, and a sync
 * follows within a second.
 *
 * <p>A request that a client repeated is acknowledged again and not applied again ({@link RecentRequests}).
 *
 * <p>Once a minute it looks for expired flags, a bounded portion of the index at a time; their removal is an update
 * like any other.
 */
public final class UpdateWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateWriter.class);

    /** Updates that share a sync: enough for many clients, few enough for a fraction of a second. */
    private static final int MAX_BATCH = 1_024;

    /** From so many clients on, telling them takes longer than waking another thread to do it. */
    private static final int HANDED = 8;

    /** Clients whose replies leave together: the first of many need not wait for the last. */
    private static final int TOLD_TOGETHER = 16;

    /** Hashes that are looked at between two batches: a millisecond or so. */
    private static final int SWEEP_PORTION = 50_000;

    /** An expired hash is invisible, so removing it only saves space: once a minute suffices. */
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    /** Longest time that a queued update waits for its sync. */
    private static final long FORCE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** How often to look who has come back. */
    private static final long GATHER_STEP = TimeUnit.MICROSECONDS.toNanos(50);

    /** Longest sleep, after which {@link #finish} is noticed at the latest. */
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(50);

    /** There is nothing left to do. */
    private static final int LAST = -1;

    /** When clients are told that an update is stored. */
    public enum Acknowledge {
        /** After it is on disk. */
        DURABLE,
        /**
         * When it is in the operating system's hands. It survives the end of the process, however that ends. A failure
         * of the machine may lose the last second of updates, or more while the disk fails to take them, which is
         * logged.
         */
        QUEUED
    }

    private final UpdateQueue queue;
    private final UpdateLog log;
    private final HashIndex index;
    private final Consumer<Update> visible;
    private final Acknowledge acknowledge;
    private final Timing timing;
    private final StorageClock clock;
    private final LongSupplier nanos;
    private final Teller teller;
    private final Gathering gathering = new Gathering();
    private final int batchSize;
    private final RecentRequests recent;
    private final ConcurrentLinkedQueue<CompletableFuture<Long>> sweepRequests = new ConcurrentLinkedQueue<>();
    private final LongAdder forces = new LongAdder();
    private final LongAdder stored = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final LongAdder refreshed = new LongAdder();
    private volatile boolean finishing;
    private long sweepDue;
    private int sweepFrom;
    private long sweepBefore;
    private final List<Update.Expire> due = new ArrayList<>();
    private boolean unforced;
    private long forceDue;
    private long retryDue;
    private volatile boolean failing;
    private volatile boolean full;
    private volatile boolean ended;

    /**
     * A writer; {@link #run} is to be given a thread.
     *
     * @param visible applies an update to the index once it is in the log
     * @param timing with the age after which a flag is removed
     * @param clock the time by which that is; the writer sees to it that it is looked at
     * @param nanos a clock that cannot be set
     * @param recent what clients may go on repeating, such as what the log held at the start; for the writer's thread
     * from now on
     * @param told is run after the outcomes of a batch were told
     */
    public UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<Update> visible,
            Acknowledge acknowledge,
            Timing timing, StorageClock clock, LongSupplier nanos, RecentRequests recent, Runnable told) {
        this.queue = queue;
        this.log = log;
        this.index = index;
        this.visible = visible;
        this.acknowledge = acknowledge;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.recent = recent;
        this.teller = new Teller(told);
        this.batchSize = Math.min(MAX_BATCH, log.room());
        this.sweepDue = nanos.getAsLong();
        this.retryDue = sweepDue;
    }

    /** Syncs of the log since the start. */
    public long forces() {
        return forces.sum();
    }

    /** Updates that were stored since the start. */
    public long stored() {
        return stored.sum();
    }

    /** Updates that could not be stored since the start. */
    public long failed() {
        return failed.sum();
    }

    /** Requests that had been stored before and were acknowledged again. */
    public long repeated() {
        return repeated.sum();
    }

    /** Flags that were removed since the start because of their age. */
    public long expired() {
        return expired.sum();
    }

    /** Hashes that were renewed since the start. */
    public long refreshed() {
        return refreshed.sum();
    }

    /** Returns whether updates are being refused because the log cannot be written. */
    public boolean isFailing() {
        return failing;
    }

    /** Returns whether learns are being refused because the index has no room for them. */
    public boolean isFull() {
        return full;
    }

    /**
     * Whether the index has what the log has, to the last update: only if the writer has done all that it took, and
     * ended. One that died may have made a batch visible in part.
     */
    public boolean isComplete() {
        return ended && !failing;
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
        try (teller) {
            teller.start(Thread.currentThread().getUncaughtExceptionHandler());
            // The teller stays an ordinary thread, since it has been started: clients wait for what it does.
            Courtesy courtesy = new Courtesy(ThreadScheduling::useBatchPolicy, ThreadScheduling::useDefaultPolicy);
            for (int taken = turn(MAX_WAIT); taken != LAST; taken = turn(MAX_WAIT)) {
                courtesy.batch(taken);
            }
            end();
        }
    }

    /**
     * Waits for updates, stores those that are there, and does what else is due; how many updates, or {@link #LAST}.
     */
    int turn(long maxWait) {
        boolean last = finishing;
        int taken = 0;
        QueuedUpdate first = next(maxWait);
        clock.look();
        if (first != null) {
            List<QueuedUpdate> batch = new ArrayList<>();
            batch.add(first);
            gather();
            queue.drainTo(batch, batchSize - 1);
            taken = batch.size();
            store(batch);
        } else if (last) {
            return LAST;
        }
        if (unforced && nanos.getAsLong() - forceDue >= 0) {
            forceQueued();
        }
        retryLog();
        sweepIfDue();
        return taken;
    }

    /** After the last turn. */
    void end() {
        if (unforced) {
            forceQueued();
        }
        for (CompletableFuture<Long> request : sweepRequests) {
            request.cancel(false);
        }
        ended = true;
    }

    private @Nullable QueuedUpdate next(long maxWait) {
        try {
            return queue.poll(finishing ? 0 : Math.clamp(sweepDue - nanos.getAsLong(), 0, maxWait));
        } catch (InterruptedException e) {
            // No code interrupts this thread, and stopping without draining would lose updates.
            LOG.warn("interrupted while waiting for updates; going on");
            return null;
        }
    }

    /** After the first update of a batch was taken. */
    private void gather() {
        long patience = gathering.patience();
        int wanted = Math.min(gathering.crowd(), batchSize) - 1;
        if (patience == 0 || finishing) {
            return;
        }
        long end = nanos.getAsLong() + patience;
        while (queue.size() < wanted && end - nanos.getAsLong() > 0) {
            LockSupport.parkNanos(this, GATHER_STEP);
        }
    }

    private void store(List<QueuedUpdate> taken) {
        List<QueuedUpdate> fresh = new ArrayList<>(taken.size());
        List<QueuedUpdate> others = new ArrayList<>();
        Map<Digest, Long> renewed = new HashMap<>();
        for (QueuedUpdate pending : taken) {
            if (pending.update() instanceof Update.Refresh refresh) {
                Long earlier = renewed.get(refresh.digest());
                if (earlier == null || refresh.time() > earlier) {
                    renewed.put(refresh.digest(), refresh.time());
                    bury(refresh, fresh);
                    fresh.add(pending);
                } else {
                    others.add(pending);
                }
            } else if (recent.add(pending.origin(), pending.update())) {
                fresh.add(pending);
            } else {
                others.add(pending);
                repeated.increment();
            }
        }
        boolean many = taken.size() >= HANDED;
        List<QueuedUpdate> withoutRoom = takeOutWithoutRoom(fresh);
        refuse(withoutRoom, many);
        boolean done = commit(fresh);
        if (done) {
            count(fresh);
            publish(fresh, many);
        } else {
            refuse(fresh, many);
        }
        if (done && withoutRoom.isEmpty()) {
            tell(new Teller.Portion(others, true), many);
        } else {
            // Some repeat what has just been refused, others what was stored before.
            Map<Boolean, List<QueuedUpdate>> known = others.stream()
                    .collect(Collectors.partitioningBy(pending -> recent.knows(pending.origin(), pending.update())));
            known.forEach((isStored, updates) -> tell(new Teller.Portion(updates, isStored), many));
        }
    }

    private void refuse(List<QueuedUpdate> updates, boolean many) {
        failed.add(updates.size());
        for (QueuedUpdate pending : updates) {
            recent.forget(pending.origin(), pending.update());
        }
        tell(new Teller.Portion(updates, false), many);
    }

    /** Before anything is promised: takes those away for which the index has no room, and gives them. */
    private List<QueuedUpdate> takeOutWithoutRoom(List<QueuedUpdate> updates) {
        List<QueuedUpdate> writes = updates.stream().filter(pending -> pending.update() instanceof Update.Write)
                .toList();
        if (writes.isEmpty()) {
            return writes;
        }
        try {
            index.makeRoom(writes.size());
        } catch (IndexFullException e) {
            if (!full) {
                LOG.error("updates are rejected, checks continue: {}; there are {} hashes", e.getMessage(),
                        index.size());
                full = true;
            }
            updates.removeIf(pending -> pending.update() instanceof Update.Write);
            return writes;
        }
        if (full) {
            LOG.info("the index has room for learns again");
            full = false;
        }
        return List.of();
    }

    /** Makes visible what is in the log, and tells. */
    private void publish(List<QueuedUpdate> updates, boolean many) {
        for (int from = 0; from < updates.size(); from += TOLD_TOGETHER) {
            List<QueuedUpdate> together = updates.subList(from, Math.min(from + TOLD_TOGETHER, updates.size()));
            together.forEach(pending -> visible.accept(pending.update()));
            tell(new Teller.Portion(together, true), many);
        }
    }

    private void tell(Teller.Portion portion, boolean many) {
        if (portion.updates().isEmpty()) {
            return;
        }
        if (many) {
            teller.hand(portion);
        } else {
            teller.tell(portion);
        }
    }

    /** A renewal is about the hash; what of it had expired before must not come back to life. */
    private void bury(Update.Refresh refresh, List<QueuedUpdate> target) {
        if (timing.expireSeconds() <= 0) {
            return;
        }
        long now = Math.min(refresh.time(), clock.millis() / 1000);
        index.collectExpired(refresh.digest(), now - timing.expireSeconds(), due);
        due.forEach(expire -> target.add(own(expire)));
        due.clear();
    }

    private static QueuedUpdate own(Update update) {
        return new QueuedUpdate(update, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NOBODY);
    }

    private void count(List<QueuedUpdate> updates) {
        for (QueuedUpdate pending : updates) {
            switch (pending.update()) {
                case Update.Refresh refresh -> refreshed.increment();
                case Update.Expire expire -> expired.increment();
                case Update.Write write -> stored.increment();
                case Update.Delete delete -> stored.increment();
                case Update.DeleteAll delete -> stored.increment();
            }
        }
    }

    /** Returns all or nothing: a batch fits into the log's buffer. */
    private boolean commit(List<QueuedUpdate> updates) {
        if (updates.isEmpty()) {
            return true;
        }
        if (log.room() < updates.size() && !force()) {
            return false;
        }
        for (QueuedUpdate pending : updates) {
            log.add(pending.origin(), pending.update());
        }
        if (acknowledge == Acknowledge.DURABLE) {
            long before = nanos.getAsLong();
            if (!force()) {
                log.discard();
                return false;
            }
            gathering.synced(nanos.getAsLong() - before, updates.size(), queue.size());
        } else if (!queue()) {
            log.discard();
            return false;
        }
        return true;
    }

    /** A way to hand the batch over. */
    @FunctionalInterface
    private interface Handing {
        void run() throws StorageException;
    }

    private boolean succeeds(Handing handing) {
        try {
            handing.run();
        } catch (StorageException e) {
            failed(e);
            return false;
        }
        recovered();
        return true;
    }

    private void failed(StorageException e) {
        // One line when it begins to fail, not one for each batch while a disk is full.
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

    /**
     * Repeats without an update what failed with one, so that those who wait for the log learn in time that it works
     * again.
     */
    private void retryLog() {
        if (!log.needsRetry() || nanos.getAsLong() - retryDue < 0) {
            return;
        }
        retryDue = nanos.getAsLong() + FORCE_INTERVAL;
        try {
            log.retry();
            recovered();
        } catch (StorageException e) {
            failed(e);
        }
    }

    private boolean force() {
        if (!succeeds(log::force)) {
            return false;
        }
        forces.increment();
        unforced = false;
        return true;
    }

    /** Out of this process. */
    private boolean queue() {
        if (!succeeds(log::write)) {
            return false;
        }
        if (!unforced) {
            unforced = true;
            forceDue = nanos.getAsLong() + FORCE_INTERVAL;
        }
        return true;
    }

    private void forceQueued() {
        forceDue = nanos.getAsLong() + FORCE_INTERVAL;
        force();
    }

    private void sweepIfDue() {
        CompletableFuture<Long> request = sweepRequests.poll();
        if (request != null) {
            long removed = 0;
            do {
                removed += sweepOnce(Integer.MAX_VALUE);
            } while (sweepFrom != 0);
            request.complete(removed);
        } else if (nanos.getAsLong() - sweepDue >= 0) {
            sweepOnce(SWEEP_PORTION);
            if (sweepFrom == 0) {
                sweepDue = nanos.getAsLong() + SWEEP_INTERVAL.toNanos();
            }
        }
    }

    /** Looks at one portion, and removes what is expired there. */
    private long sweepOnce(int portion) {
        long expireSeconds = timing.expireSeconds();
        if (expireSeconds <= 0) {
            return 0;
        }
        if (sweepFrom == 0) {
            sweepBefore = clock.millis() / 1000 - expireSeconds;
        }
        int next = index.collectExpired(sweepFrom, portion, sweepBefore, due);
        long removed = 0;
        for (int from = 0; from < due.size(); from += batchSize) {
            List<QueuedUpdate> portionDue = due.subList(from, Math.min(from + batchSize, due.size())).stream()
                    .map(UpdateWriter::own).toList();
            if (!commit(portionDue)) {
                next = 0;
                break;
            }
            publish(portionDue, false);
            removed += portionDue.size();
        }
        due.clear();
        sweepFrom = next;
        expired.add(removed);
        return removed;
    }
}
