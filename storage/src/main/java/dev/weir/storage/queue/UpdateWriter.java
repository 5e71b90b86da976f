package dev.weir.storage.queue;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import dev.weir.net.ThreadScheduling;
import dev.weir.storage.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.Origin;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that changes the log.
 *
 * <p>It takes everything that waits and brings it to the log together, so that one sync of the disk serves many clients;
 * then it makes the changes visible, and only then the {@link Teller} tells the clients, of the first ones while it goes on
 * with the others. So what was acknowledged is on disk and the next check sees it. A batch that cannot be forced changes
 * nothing, and its clients are told so. With {@link Acknowledge#QUEUED} it tells the clients before, and forces once a
 * second.
 *
 * <p>A request that a client repeated is acknowledged again and not applied again ({@link RecentRequests}).
 *
 * <p>Once a minute it looks for expired flags, a bounded portion of the index at a time; their removal is an update like
 * any other.
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

    /** Nobody sees an expired hash, so removing it is only about space: once a minute is often. */
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    /** Longest time that a queued update waits for its sync. */
    private static final long FORCE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** How often to look who has come back. */
    private static final long GATHER_STEP = TimeUnit.MICROSECONDS.toNanos(50);

    /** Longest sleep, after which {@link #finish} is noticed at the latest. */
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(50);

    /** For how long a request that is repeated is recognised, in milliseconds. */
    public static final long MAX_REPEAT_MILLIS = RecentRequests.KEEP_MILLIS;

    /** There is nothing left to do. */
    private static final int LAST = -1;

    /** When clients are told that an update is stored. */
    public enum Acknowledge {
        /** After it is on disk. */
        DURABLE,
        /** When it is in the operating system's hands: a crash of the machine may lose the last second of updates. */
        QUEUED
    }

    private final UpdateQueue queue;
    private final UpdateLog log;
    private final HashIndex index;
    private final Acknowledge acknowledge;
    private final Timing timing;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Teller teller;
    private final ClockWatch watch;
    private final Gathering gathering = new Gathering();
    private final int batchSize;
    private final RecentRequests recent = new RecentRequests();
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
    private volatile boolean failing;

    /**
     * A writer; {@link #run} is to be given a thread.
     *
     * @param timing with the age after which a flag is removed
     * @param told is run after the outcomes of a batch were told
     */
    public UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Acknowledge acknowledge, Timing timing,
            InstantSource clock, Runnable told) {
        this(queue, log, index, acknowledge, timing, clock, System::nanoTime, told);
    }

    /** A writer whose every sense of time is given. */
    UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Acknowledge acknowledge, Timing timing,
            InstantSource clock, LongSupplier nanos, Runnable told) {
        this.queue = queue;
        this.log = log;
        this.index = index;
        this.acknowledge = acknowledge;
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.teller = new Teller(told);
        this.watch = new ClockWatch(clock, nanos);
        this.batchSize = Math.min(MAX_BATCH, log.room());
        this.sweepDue = nanos.getAsLong();
    }

    /** Tells what the log held at the start, so that clients who go on repeating a request are recognised. */
    public void remember(LoggedUpdate update) {
        recent.add(update.origin(), update.update(), update.millis());
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

    /** Whether updates are being refused because the log cannot be written. */
    public boolean isFailing() {
        return failing;
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
            Courtesy courtesy = new Courtesy(ThreadScheduling::waitTurn, ThreadScheduling::takeTurn);
            for (int taken = turn(MAX_WAIT); taken != LAST; taken = turn(MAX_WAIT)) {
                courtesy.batch(taken);
            }
            end();
        }
    }

    /** Waits for updates, stores those that are there, and does what else is due; how many updates, or {@link #LAST}. */
    int turn(long maxWait) {
        boolean last = finishing;
        int taken = 0;
        PendingUpdate first = next(maxWait);
        if (first != null) {
            List<PendingUpdate> batch = new ArrayList<>();
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
    }

    private @Nullable PendingUpdate next(long maxWait) {
        try {
            return queue.poll(finishing ? 0 : Math.clamp(sweepDue - nanos.getAsLong(), 0, maxWait));
        } catch (InterruptedException e) {
            // Nobody has a reason to interrupt this thread, and stopping without draining would lose updates.
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

    private void store(List<PendingUpdate> taken) {
        long now = clock.millis();
        List<PendingUpdate> fresh = new ArrayList<>(taken.size());
        List<PendingUpdate> others = new ArrayList<>();
        Set<Digest> renewed = new HashSet<>();
        for (PendingUpdate pending : taken) {
            if (pending.update() instanceof Update.Refresh refresh) {
                if (renewed.add(refresh.digest())) {
                    bury(refresh, fresh);
                    fresh.add(pending);
                }
            } else if (recent.add(pending.origin(), pending.update(), now)) {
                fresh.add(pending);
            } else {
                others.add(pending);
                repeated.increment();
            }
        }
        boolean many = taken.size() >= HANDED;
        if (commit(fresh)) {
            count(fresh);
            publish(fresh, many);
            tell(new Teller.Portion(others, true), many);
        } else {
            failed.add(fresh.size());
            for (PendingUpdate pending : fresh) {
                recent.forget(pending.origin(), pending.update());
            }
            tell(new Teller.Portion(taken, false), many);
        }
    }

    /** Makes visible what is in the log, and tells. */
    private void publish(List<PendingUpdate> updates, boolean many) {
        for (int from = 0; from < updates.size(); from += TOLD_TOGETHER) {
            List<PendingUpdate> together = updates.subList(from, Math.min(from + TOLD_TOGETHER, updates.size()));
            together.forEach(pending -> index.apply(pending.update()));
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
    private void bury(Update.Refresh refresh, List<PendingUpdate> target) {
        if (timing.expireSeconds() <= 0) {
            return;
        }
        index.collectExpired(refresh.digest(), refresh.time() - timing.expireSeconds(), due);
        due.forEach(expire -> target.add(own(expire)));
        due.clear();
    }

    private static PendingUpdate own(Update update) {
        return new PendingUpdate(update, Origin.STORAGE, PendingUpdate.Outcome.NOBODY);
    }

    private void count(List<PendingUpdate> updates) {
        for (PendingUpdate pending : updates) {
            switch (pending.update()) {
                case Update.Refresh refresh -> refreshed.increment();
                case Update.Expire expire -> expired.increment();
                case Update.Write write -> stored.increment();
                case Update.Delete delete -> stored.increment();
                case Update.DeleteAll delete -> stored.increment();
            }
        }
    }

    /** All or nothing: a batch fits into the log's buffer. */
    private boolean commit(List<PendingUpdate> updates) {
        if (updates.isEmpty()) {
            return true;
        }
        if (log.room() < updates.size() && !force()) {
            return false;
        }
        for (PendingUpdate pending : updates) {
            log.add(pending.origin(), pending.update());
        }
        if (acknowledge == Acknowledge.DURABLE) {
            long before = nanos.getAsLong();
            if (!force()) {
                log.discard();
                return false;
            }
            gathering.synced(nanos.getAsLong() - before, updates.size(), queue.size());
        } else {
            queue();
        }
        return true;
    }

    private boolean force() {
        try {
            log.force();
        } catch (StorageException e) {
            // One line when it begins to fail, not one for each batch while a disk is full.
            if (!failing) {
                LOG.error("updates cannot be stored{}: {}",
                        acknowledge == Acknowledge.DURABLE ? " and are refused" : "",
                        e.getMessage(), e);
                failing = true;
            }
            return false;
        }
        forces.increment();
        unforced = false;
        if (failing) {
            LOG.info("updates can be stored again");
            failing = false;
        }
        return true;
    }

    /** Out of this process, if possible; what cannot be written now is tried again with the next sync. */
    private void queue() {
        try {
            log.write();
        } catch (StorageException e) {
            LOG.debug("queued updates wait in memory", e);
        }
        if (!unforced) {
            unforced = true;
            forceDue = nanos.getAsLong() + FORCE_INTERVAL;
        }
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
            if (sweepFrom == 0 && !watch.isTrusted()) {
                sweepDue = nanos.getAsLong() + SWEEP_INTERVAL.toNanos();
                return;
            }
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
            List<PendingUpdate> portionDue = due.subList(from, Math.min(from + batchSize, due.size())).stream()
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
