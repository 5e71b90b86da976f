package dev.weir.storage.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.os.ThreadScheduling;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LogEpoch;
import dev.weir.storage.log.LoggedUpdate;
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

    /**
     * The maximum number of updates in one sync: enough for many clients, and few enough for a fraction of a second.
     */
    private static final int MAX_BATCH = 1_024;

    /** The number of clients from which on replying takes longer than waking another thread. */
    private static final int HANDED = 8;

    /** The number of clients whose replies leave together, so that the first of many need not wait for the last. */
    private static final int TOLD_TOGETHER = 16;

    /** The number of hashes that are examined between two batches, in about a millisecond. */
    private static final int SWEEP_PORTION = 50_000;

    /** The interval of removals. Expired hashes are invisible, so removal only saves space. */
    private static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    /** The maximum time for which a queued update waits for its sync. */
    private static final long FORCE_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** The interval at which the writer checks for returning clients. */
    private static final long GATHER_STEP = TimeUnit.MICROSECONDS.toNanos(50);

    /** The maximum sleep, and so the maximum delay of {@link #finish}. */
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(50);

    /** The maximum sleep while clients wait for other nodes, whose progress usually ends it earlier. */
    private static final long PARKED_WAIT = TimeUnit.MILLISECONDS.toNanos(5);

    /** The result of {@link #turn} when all work is done. */
    private static final int LAST = -1;

    /** The time at which clients get the reply to a stored update. */
    public enum Acknowledge {
        /** When the update is on disk. */
        DURABLE,
        /**
         * When the operating system has the update. It survives any end of the process. A crash of the machine may lose
         * the last second of updates, or more while the disk refuses them, which is logged.
         */
        QUEUED
    }

    private final UpdateQueue queue;
    private final UpdateLog log;
    private final HashIndex index;
    private final Lookup lookup = new Lookup();
    private final Consumer<QueuedUpdate> visible;
    private final Acknowledge acknowledge;
    private final Timing timing;
    private final StorageClock clock;
    private final LongSupplier nanos;
    private final Teller teller;
    private final Role role;
    private final Parked parked;
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final LongAdder unreplicated = new LongAdder();
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
     * Creates a writer. Run {@link #run} in a thread.
     *
     * @param visible applies an update to the index once it is in the log
     * @param timing the age of expiry
     * @param clock the time by which hashes age; the writer keeps it current
     * @param nanos a monotonic clock
     * @param recent the requests that clients may repeat, including those in the log at the start; from now on for the
     *            writer's thread
     * @param told runs after the outcomes of a batch were sent
     */
    public UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<QueuedUpdate> visible,
            Acknowledge acknowledge,
            Timing timing, StorageClock clock, LongSupplier nanos, RecentRequests recent, Runnable told) {
        this(queue, log, index, visible, acknowledge, timing, clock, nanos, recent, told, new Role(Role.Part.LEADER),
                Quorum.NONE);
    }

    /**
     * Creates a writer of a node in replication.
     *
     * @param role the part of the node, which the writer keeps
     * @param quorum the condition of an acknowledgment
     */
    public UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<QueuedUpdate> visible,
            Acknowledge acknowledge, Timing timing, StorageClock clock, LongSupplier nanos, RecentRequests recent,
            Runnable told, Role role, Quorum quorum) {
        this.role = role;
        this.parked = new Parked(quorum, nanos);
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

    /** Returns the number of syncs since the start. */
    public long forces() {
        return forces.sum();
    }

    /** Returns the number of updates stored since the start. */
    public long stored() {
        return stored.sum();
    }

    /** Returns the number of updates that could not be stored since the start. */
    public long failed() {
        return failed.sum();
    }

    /** Returns the number of repeated requests that were acknowledged again. */
    public long repeated() {
        return repeated.sum();
    }

    /** Returns the number of flags removed since the start because of their age. */
    public long expired() {
        return expired.sum();
    }

    /** Returns the number of hashes renewed since the start. */
    public long refreshed() {
        return refreshed.sum();
    }

    /** Returns the number of stored updates whose clients got an error because too few other nodes had them in time. */
    public long unreplicated() {
        return unreplicated.sum();
    }

    /**
     * Leads from now on, under a new epoch.
     *
     * @param above the highest epoch number known from other nodes
     * @param lossy whether to give up the updates that are missing from an incomplete log
     * @return completes with the epoch, or exceptionally if the log is not complete or cannot begin it; then nothing
     *         has changed
     */
    public CompletableFuture<LogEpoch> promote(int above, boolean lossy) {
        return onWriter(() -> {
            log.promote(above, lossy);
            role.play(Role.Part.LEADER);
            return log.tip().epoch();
        });
    }

    /** Enters the epoch of the leader of this node. Completes when the log has it. */
    public CompletableFuture<LogEpoch> enter(LogEpoch epoch) {
        return onWriter(() -> {
            log.enter(epoch);
            return epoch;
        });
    }

    /** Takes no updates of clients from now on, because another node leads. Completes when this is in force. */
    public CompletableFuture<Role.Part> fence() {
        return onWriter(() -> {
            role.play(role.leads() ? Role.Part.FENCED : role.part());
            return role.part();
        });
    }

    /** Takes updates of a leader from now on, and none of clients. Completes when this is in force. */
    public CompletableFuture<Role.Part> follow() {
        return onWriter(() -> {
            role.play(Role.Part.FOLLOWER);
            return role.part();
        });
    }

    /**
     * Tells clients the outcomes of updates that another node decided. Any thread may call it.
     *
     * @param stored for each update whether it is stored; a shorter list means that the rest is not
     */
    public void tell(List<QueuedUpdate> updates, List<Boolean> stored) {
        List<QueuedUpdate> good = new ArrayList<>();
        List<QueuedUpdate> bad = new ArrayList<>();
        for (int i = 0; i < updates.size(); i++) {
            (i < stored.size() && stored.get(i) ? good : bad).add(updates.get(i));
        }
        later(new Task(() -> {
            tell(new Teller.Portion(good, true), good.size() >= HANDED);
            tell(new Teller.Portion(bad, false), bad.size() >= HANDED);
        }, () -> updates.forEach(update -> update.outcome().failed())));
    }

    /**
     * Work on the thread of the writer.
     *
     * @param cancel takes the place of the work if the writer has ended
     */
    private record Task(Runnable work, Runnable cancel) {}

    private void later(Task task) {
        tasks.add(task);
        queue.wake();
        if (ended) {
            cancelTasks();
        }
    }

    private void runTasks() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.work().run();
        }
    }

    private void cancelTasks() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.cancel().run();
        }
    }

    /** Work of the writer that fails if the log cannot be written. */
    @FunctionalInterface
    private interface LogWork<T> {
        T run() throws StorageException;
    }

    private <T> CompletableFuture<T> onWriter(LogWork<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        later(new Task(() -> {
            try {
                if (unforced) {
                    forceQueued();
                }
                result.complete(work.run());
            } catch (StorageException e) {
                failed(e);
                result.completeExceptionally(e);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }, () -> result.cancel(false)));
        return result;
    }

    /** Returns whether updates are refused because the log cannot be written. */
    public boolean isFailing() {
        return failing;
    }

    /** Returns whether learn requests are refused because the index is full. */
    public boolean isFull() {
        return full;
    }

    /**
     * Returns whether the index has every update of the log: only if the writer has ended and completed all its work. A
     * writer that died may have made a batch partly visible.
     */
    public boolean isComplete() {
        return ended && !failing;
    }

    /**
     * Requests the immediate removal of everything expired. Completes with the number of flags, or exceptionally if the
     * log does not take the removal.
     */
    public CompletableFuture<Long> sweep() {
        CompletableFuture<Long> request = new CompletableFuture<>();
        sweepRequests.add(request);
        if (ended) {
            request.cancel(false);
        }
        return request;
    }

    /**
     * Requests updates that come from other nodes and depend on what the index has. This thread computes them, within
     * 50 ms, and applies them before anything else.
     *
     * @return completes when they are stored and visible, or exceptionally if not all are
     */
    public CompletableFuture<Void> change(Function<HashIndex, List<Update>> updates) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        later(new Task(() -> {
            try {
                make(updates.apply(index));
                done.complete(null);
            } catch (StorageException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }, () -> done.cancel(false)));
        return done;
    }

    /** Makes {@link #run} return when the queue is empty. Nothing may be offered to the queue anymore. */
    public void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        try (teller) {
            teller.start(Thread.currentThread().getUncaughtExceptionHandler());
            // The teller is already started and keeps the default policy, because clients wait for it.
            Courtesy courtesy = new Courtesy(ThreadScheduling::useBatchPolicy, ThreadScheduling::useDefaultPolicy);
            for (int taken = turn(MAX_WAIT); taken != LAST; taken = turn(MAX_WAIT)) {
                courtesy.batch(taken);
            }
            end();
        } finally {
            if (!ended) {
                index.markIncomplete();
            }
        }
    }

    /**
     * Waits for updates, stores those available, and does other due work. Returns the number of updates, or {@link
     * #LAST}.
     */
    int turn(long maxWait) {
        boolean last = finishing;
        int taken = 0;
        QueuedUpdate first = next(maxWait);
        clock.look();
        runTasks();
        tellParked(false);
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

    /** Completes the last turn. */
    void end() {
        runTasks();
        if (unforced) {
            forceQueued();
        }
        tellParked(true);
        ended = true;
        cancelTasks();
        sweepRequests.forEach(request -> request.cancel(false));
    }

    private void make(List<Update> updates) throws StorageException {
        for (int from = 0; from < updates.size(); from += batchSize) {
            List<QueuedUpdate> portion = updates.subList(from, Math.min(from + batchSize, updates.size())).stream()
                    .map(update -> new QueuedUpdate(update, UpdateOrigin.SHARED, QueuedUpdate.Outcome.NONE))
                    .toList();
            int writes = (int) portion.stream().filter(one -> one.update() instanceof Update.Write).count();
            if (writes > 0) {
                index.makeRoom(writes);
            }
            if (!commit(portion)) {
                throw new StorageException("the update log cannot be written");
            }
            publish(portion, false);
        }
    }

    private @Nullable QueuedUpdate next(long maxWait) {
        try {
            long most = parked.isEmpty() ? maxWait : Math.min(maxWait, PARKED_WAIT);
            return queue.poll(finishing ? 0 : Math.clamp(sweepDue - nanos.getAsLong(), 0, most));
        } catch (InterruptedException e) {
            // No code interrupts this thread, and stopping without draining would lose updates.
            LOG.warn("interrupted while waiting for updates; going on");
            return null;
        }
    }

    /** Waits for more updates after the first of a batch. */
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

    /** Tells the clients whose updates enough nodes have, and those who waited too long. */
    private void tellParked(boolean all) {
        for (List<QueuedUpdate> told = parked.reached(); !told.isEmpty(); told = parked.reached()) {
            tell(new Teller.Portion(told, true), told.size() >= HANDED);
        }
        for (List<QueuedUpdate> told = parked.late(all); !told.isEmpty(); told = parked.late(all)) {
            unreplicated.add(told.size());
            tell(new Teller.Portion(told, false), told.size() >= HANDED);
        }
    }

    /**
     * Separates the updates that do not fit the part of this node: those of clients if it does not lead, those of a
     * leader if it does. They get an error.
     */
    private void store(List<QueuedUpdate> taken) {
        boolean follows = role.part() == Role.Part.FOLLOWER;
        Predicate<QueuedUpdate> fits = pending -> pending.led() == null ? role.leads() : follows;
        List<QueuedUpdate> updates = taken;
        // Nearly always all fit, and nothing is copied.
        if (!taken.stream().allMatch(fits)) {
            List<QueuedUpdate> others = taken.stream().filter(fits.negate()).toList();
            failed.add(others.size());
            tell(new Teller.Portion(others, false), others.size() >= HANDED);
            updates = taken.stream().filter(fits).toList();
            if (updates.isEmpty()) {
                return;
            }
        }
        if (follows) {
            storeOfLeader(updates);
        } else {
            storeOfClients(updates);
        }
    }

    /** Stores updates exactly as the leader did. What this node has already is acknowledged again. */
    private void storeOfLeader(List<QueuedUpdate> taken) {
        List<QueuedUpdate> fresh = new ArrayList<>(taken.size());
        List<QueuedUpdate> known = new ArrayList<>();
        List<QueuedUpdate> unfit = new ArrayList<>();
        long last = log.handed();
        for (QueuedUpdate pending : taken) {
            long revision = Objects.requireNonNull(pending.led()).revision();
            if (revision <= last) {
                known.add(pending);
            } else if (revision == last + 1) {
                fresh.add(pending);
                last = revision;
            } else {
                unfit.add(pending);
            }
        }
        boolean many = taken.size() >= HANDED;
        boolean done;
        try {
            index.makeRoom(fresh.size());
            full = false;
            done = commit(fresh);
        } catch (IndexFullException e) {
            if (!full) {
                LOG.error("the updates of the leader are not taken, checks continue: {}; there are {} hashes",
                        e.getMessage(), index.size());
                full = true;
            }
            done = false;
        }
        if (done) {
            count(fresh);
            fresh.forEach(pending -> recent.add(pending.origin(), pending.update()));
            publish(fresh, many);
        } else {
            failed.add(fresh.size());
            tell(new Teller.Portion(fresh, false), many);
        }
        tell(new Teller.Portion(known, true), many);
        tell(new Teller.Portion(unfit, false), many);
    }

    private void storeOfClients(List<QueuedUpdate> taken) {
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
        List<QueuedUpdate> withoutRoom = new ArrayList<>(takeOutExcessFlags(fresh));
        withoutRoom.addAll(takeOutWithoutRoom(fresh));
        refuse(withoutRoom, many);
        boolean done = commit(fresh);
        if (done) {
            count(fresh);
            publish(fresh, many);
        } else {
            refuse(fresh, many);
        }
        if (done && withoutRoom.isEmpty()) {
            tellStored(others, many);
        } else {
            // Some repeat what has just been refused, others what was stored before.
            Map<Boolean, List<QueuedUpdate>> known = others.stream()
                    .collect(Collectors.partitioningBy(pending -> recent.knows(pending.origin(), pending.update())));
            known.forEach((isStored, updates) -> {
                if (isStored) {
                    tellStored(updates, many);
                } else {
                    tell(new Teller.Portion(updates, false), many);
                }
            });
        }
    }

    private void refuse(List<QueuedUpdate> updates, boolean many) {
        failed.add(updates.size());
        for (QueuedUpdate pending : updates) {
            recent.forget(pending.origin(), pending.update());
        }
        tell(new Teller.Portion(updates, false), many);
    }

    /**
     * Removes and returns the writes that would give a hash more flags beyond 255 than it can have. Their number is
     * known here, because every earlier update is visible.
     */
    private List<QueuedUpdate> takeOutExcessFlags(List<QueuedUpdate> updates) {
        List<QueuedUpdate> excess = new ArrayList<>();
        Map<Digest, Set<Integer>> odd = new HashMap<>();
        for (QueuedUpdate pending : updates) {
            // An import sends no more than fits, in an order of its own.
            if (pending.origin().address() != null && pending.update() instanceof Update.Write write
                    && FlagValue.isOdd(write.flag())) {
                Set<Integer> flags = odd.computeIfAbsent(write.digest(), this::oddFlags);
                if (flags.size() >= StoredHash.MAX_ODD_FLAGS && !flags.contains(write.flag())) {
                    excess.add(pending);
                } else {
                    flags.add(write.flag());
                }
            }
        }
        updates.removeAll(excess);
        return excess;
    }

    private Set<Integer> oddFlags(Digest digest) {
        HashIndex.KnownHash known = index.known(digest, lookup);
        return known == null
                ? new HashSet<>()
                : known.flags().stream().filter(FlagValue::isOdd).map(FlagValue::flag)
                        .collect(Collectors.toCollection(HashSet::new));
    }

    /** Removes and returns the updates for which the index has no room, before anything is acknowledged. */
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

    /** Makes logged updates visible, and sends their outcomes. */
    private void publish(List<QueuedUpdate> updates, boolean many) {
        for (int from = 0; from < updates.size(); from += TOLD_TOGETHER) {
            List<QueuedUpdate> together = updates.subList(from, Math.min(from + TOLD_TOGETHER, updates.size()));
            together.forEach(pending -> visible.accept(pending));
            tellStored(together, many);
        }
    }

    /** Tells clients that their updates are stored, as soon as enough nodes have them. */
    private void tellStored(List<QueuedUpdate> updates, boolean many) {
        if (parked.isNeeded() && role.leads()) {
            parked.add(log.handed(), List.copyOf(updates));
        } else {
            tell(new Teller.Portion(updates, true), many);
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

    /** Removes what has expired of a hash before its renewal, which would otherwise revive it. */
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
        return new QueuedUpdate(update, UpdateOrigin.STORAGE, QueuedUpdate.Outcome.NONE);
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

    /** Commits all or nothing, because a batch fits into the log's buffer. */
    private boolean commit(List<QueuedUpdate> updates) {
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

    /** An operation that passes the batch on. */
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

    /** Repeats what failed without an update, so that waiting clients learn soon that the log works again. */
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

    /** Passes the batch to the operating system. */
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
            sweepAll(request);
        } else if (nanos.getAsLong() - sweepDue >= 0) {
            sweepOnce(SWEEP_PORTION);
            if (sweepFrom == 0) {
                sweepDue = nanos.getAsLong() + SWEEP_INTERVAL.toNanos();
            }
        }
    }

    private void sweepAll(CompletableFuture<Long> request) {
        long before = expired.sum();
        sweepFrom = 0;
        boolean stored;
        do {
            stored = sweepOnce(Integer.MAX_VALUE);
        } while (stored && sweepFrom != 0);
        if (stored) {
            request.complete(expired.sum() - before);
        } else {
            request.completeExceptionally(new StorageException("the log cannot store the removal of expired flags"));
        }
    }

    /** Examines one portion and removes what has expired. Returns whether the log took the removals. */
    private boolean sweepOnce(int portion) {
        long expireSeconds = timing.expireSeconds();
        if (expireSeconds <= 0 || !role.leads()) {
            // The leader removes what expires, and this node removes it with the leader's update.
            sweepFrom = 0;
            return true;
        }
        if (sweepFrom == 0) {
            sweepBefore = clock.millis() / 1000 - expireSeconds;
        }
        int next = index.collectExpired(sweepFrom, portion, sweepBefore, due);
        boolean stored = true;
        for (int from = 0; from < due.size(); from += batchSize) {
            List<QueuedUpdate> portionDue = due.subList(from, Math.min(from + batchSize, due.size())).stream()
                    .map(UpdateWriter::own).toList();
            if (!commit(portionDue)) {
                next = 0;
                stored = false;
                break;
            }
            publish(portionDue, false);
            expired.add(portionDue.size());
        }
        due.clear();
        sweepFrom = next;
        return stored;
    }
}
