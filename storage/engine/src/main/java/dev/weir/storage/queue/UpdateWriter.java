package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import dev.weir.model.Update;
import dev.weir.os.ThreadScheduling;
import dev.weir.storage.StorageException;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only thread that appends to the log.
 *
 * <p>It takes all waiting updates and writes them to the log together, so that one sync serves many clients ({@link
 * BatchLog}). Then it makes the changes visible, and only then the {@link ReplyDispatcher} replies to the clients
 * ({@link Publisher}). So an acknowledged update is on disk, and the next check sees it. If the sync of a batch fails,
 * the batch changes nothing and its clients get an error. With {@link Acknowledge#QUEUED}, clients get their replies
 * when the operating system has the batch, and a sync follows within a second.
 *
 * <p>{@link ClientIntake} and {@link LeaderIntake} decide which updates of a batch are stored. A request that a client
 * repeated is acknowledged again and not applied again ({@link RecentRequests}).
 *
 * <p>Between two batches, the writer does the work that other threads ask for ({@link WriterTasks}). Once a minute it
 * looks for expired flags, a bounded portion of the index at a time; their removal is an update like any other ({@link
 * ExpirySweep}).
 */
public final class UpdateWriter implements Runnable, StateSink {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateWriter.class);

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
    private final StorageClock clock;
    private final LongSupplier nanos;
    private final Role role;

    // For any thread.
    private final WriterTasks tasks;
    private final UpdateCounts counts = new UpdateCounts();
    private volatile boolean finishing;

    // For the writer's thread, except where their methods say otherwise.
    private final GroupCommitDelay gathering = new GroupCommitDelay();
    private final BatchLog batches;
    private final Publisher publisher;
    private final IndexRoom room;
    private final ExpirySweep sweep;
    private final ClientIntake clients;
    private final LeaderIntake leader;

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
                Quorum.NONE, new ExpiryHorizon(timing, clock, nanos, new RemovalBrake(nanos, () -> 0),
                        OptionalLong.of(clock.millis() / 1_000 - timing.expireSeconds())));
    }

    /**
     * Creates a writer of a node in replication.
     *
     * @param role the part of the node, which the writer keeps
     * @param quorum the condition of an acknowledgment
     * @param horizon limits what expires
     */
    public UpdateWriter(UpdateQueue queue, UpdateLog log, HashIndex index, Consumer<QueuedUpdate> visible,
            Acknowledge acknowledge, Timing timing, StorageClock clock, LongSupplier nanos, RecentRequests recent,
            Runnable told, Role role, Quorum quorum, ExpiryHorizon horizon) {
        this.queue = queue;
        this.log = log;
        this.index = index;
        this.clock = clock;
        this.nanos = nanos;
        this.role = role;
        this.tasks = new WriterTasks(queue);
        this.batches = new BatchLog(log, acknowledge, nanos, queue, gathering);
        this.publisher = new Publisher(log, visible, role, quorum, nanos, counts, told);
        this.room = new IndexRoom(index);
        this.sweep = new ExpirySweep(index, timing, clock, nanos, role, batches, publisher, counts, horizon);
        this.clients = new ClientIntake(index, room, recent, sweep, batches, publisher, counts);
        this.leader = new LeaderIntake(log, room, recent, batches, publisher, counts);
    }

    /** Returns the number of syncs since the start. */
    public long forces() {
        return batches.forces();
    }

    /** Returns the number of updates stored since the start. */
    public long stored() {
        return counts.stored();
    }

    /** Returns the number of updates that could not be stored since the start. */
    public long failed() {
        return counts.failed();
    }

    /** Returns the number of repeated requests that were acknowledged again. */
    public long repeated() {
        return counts.repeated();
    }

    /** Returns the number of flags removed since the start because of their age. */
    public long expired() {
        return counts.expired();
    }

    /** Returns the number of hashes renewed since the start. */
    public long refreshed() {
        return counts.refreshed();
    }

    /** Returns the number of stored updates whose clients got an error because too few other nodes had them in time. */
    public long unreplicated() {
        return counts.unreplicated();
    }

    /**
     * Leads from now on, under a new epoch.
     *
     * @param above the highest epoch number known from other nodes
     * @param lossy whether to give up the updates that are missing from an incomplete log
     * @param branch a random number for the epoch, by which the next start recognizes it
     * @param note makes the promotion last through restarts; without it, this node must not lead
     * @return completes with the epoch, or exceptionally if the log is not complete or cannot begin it, and then
     *         nothing has changed; also exceptionally if the note fails, and then the log has the epoch and this node
     *         does not lead
     */
    public CompletableFuture<LeaderEpoch> promote(int above, boolean lossy, int branch, EpochNote note) {
        return onWriter(() -> {
            log.promote(above, lossy, branch);
            LeaderEpoch epoch = log.tip().epoch();
            try {
                note.write(epoch);
            } catch (StorageException e) {
                // Not a failure of the log: it goes on.
                throw new CompletionException(e);
            }
            role.play(Role.Part.LEADER);
            return epoch;
        });
    }

    /** Writes down under which epoch this node leads. */
    @FunctionalInterface
    public interface EpochNote {
        /** Writes it durably. */
        void write(LeaderEpoch epoch) throws StorageException;
    }

    /**
     * Enters the epoch of the leader of this node. Completes with the epoch of the log, which is another one if this
     * node no longer follows.
     */
    public CompletableFuture<LeaderEpoch> enter(LeaderEpoch epoch) {
        return onWriter(() -> {
            if (role.part() == Role.Part.FOLLOWER) {
                log.enter(epoch);
            }
            return log.tip().epoch();
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
        tasks.add(() -> {
            publisher.tell(good, true);
            publisher.tell(bad, false);
        }, () -> updates.forEach(update -> update.outcome().failed()));
    }

    /** Work of the writer that fails if the log cannot be written. */
    @FunctionalInterface
    private interface LogWork<T> {
        T run() throws StorageException;
    }

    /** Runs work on the thread of the writer when everything that is acknowledged is on disk, if the disk takes it. */
    private <T> CompletableFuture<T> onWriter(LogWork<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        tasks.add(() -> {
            try {
                batches.forceWritten();
                result.complete(work.run());
            } catch (StorageException e) {
                batches.failed(e);
                result.completeExceptionally(e);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }, () -> result.cancel(false));
        return result;
    }

    /** Returns whether updates are refused because the log cannot be written. */
    public boolean isFailing() {
        return batches.isFailing();
    }

    /** Returns whether learn requests are refused because the index is full. */
    public boolean isFull() {
        return room.isFull();
    }

    /**
     * Returns whether the index has every update of the log: only if the writer has ended and completed all its work. A
     * writer that died may have made a batch partly visible.
     */
    public boolean isComplete() {
        return tasks.hasEnded() && !batches.isFailing();
    }

    /**
     * Requests the immediate removal of everything expired. Completes with the number of flags, or exceptionally if the
     * log does not take the removal.
     */
    public CompletableFuture<Long> sweep() {
        return sweep.request();
    }

    @Override
    public CompletableFuture<Void> change(Function<HashIndex, List<Update>> updates) {
        return make(known -> updates.apply(known).stream()
                .map(update -> new QueuedUpdate(update, UpdateOrigin.SHARED, QueuedUpdate.Outcome.NONE)).toList());
    }

    /**
     * Requests updates of this leader that depend on what the index has, as {@link #change} does. Each has its outcome.
     *
     * @return completes when all are stored and visible, or exceptionally if not all are or this node does not lead
     */
    public CompletableFuture<Void> decide(Function<HashIndex, List<QueuedUpdate>> updates) {
        return make(known -> {
            if (!role.leads()) {
                throw new IllegalStateException("this node does not lead");
            }
            return updates.apply(known);
        });
    }

    private CompletableFuture<Void> make(Function<HashIndex, List<QueuedUpdate>> updates) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.add(() -> {
            try {
                storeMade(updates.apply(index));
                done.complete(null);
            } catch (StorageException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        }, () -> done.cancel(false));
        return done;
    }

    /** Makes {@link #run} return when the queue is empty. Nothing may be offered to the queue anymore. */
    public void finish() {
        finishing = true;
    }

    @Override
    public void run() {
        try (publisher) {
            publisher.start(Thread.currentThread().getUncaughtExceptionHandler());
            // The replies is already started and keeps the default policy, because clients wait for it.
            SchedulingPolicy courtesy = new SchedulingPolicy(ThreadScheduling::useBatchPolicy,
                    ThreadScheduling::useDefaultPolicy);
            for (int taken = turn(MAX_WAIT); taken != LAST; taken = turn(MAX_WAIT)) {
                courtesy.batch(taken);
            }
            end();
        } finally {
            if (!tasks.hasEnded()) {
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
        tasks.runAll();
        publisher.sendConfirmed(false);
        if (first != null) {
            List<QueuedUpdate> batch = new ArrayList<>();
            batch.add(first);
            gather();
            queue.drainTo(batch, batches.batchSize() - 1);
            taken = batch.size();
            store(batch);
        } else if (last) {
            return LAST;
        }
        batches.forceIfDue();
        batches.retryIfDue();
        sweep.runIfDue();
        return taken;
    }

    /** Completes the last turn. */
    void end() {
        tasks.runAll();
        batches.forceWritten();
        publisher.sendConfirmed(true);
        tasks.end();
        sweep.end();
    }

    /** Stores updates that were made here, all or those up to a failure. */
    private void storeMade(List<QueuedUpdate> updates) throws StorageException {
        int most = batches.batchSize();
        for (int from = 0; from < updates.size(); from += most) {
            List<QueuedUpdate> portion = updates.subList(from, Math.min(from + most, updates.size()));
            int writes = (int) portion.stream().filter(one -> one.update() instanceof Update.Write).count();
            if (writes > 0) {
                index.makeRoom(writes);
            }
            if (!batches.commit(portion)) {
                publisher.tell(updates.subList(from, updates.size()), false);
                throw new StorageException("the update log cannot be written");
            }
            publisher.publish(portion, false);
        }
    }

    private @Nullable QueuedUpdate next(long maxWait) {
        try {
            long most = publisher.hasParked() ? Math.min(maxWait, PARKED_WAIT) : maxWait;
            return queue.poll(finishing ? 0 : Math.clamp(sweep.dueIn(), 0, most));
        } catch (InterruptedException e) {
            // No code interrupts this thread, and stopping without draining would lose updates.
            LOG.warn("interrupted while waiting for updates; going on");
            return null;
        }
    }

    /** Waits for more updates after the first of a batch. */
    private void gather() {
        long patience = gathering.patience();
        int wanted = Math.min(gathering.crowd(), batches.batchSize()) - 1;
        if (patience == 0 || finishing) {
            return;
        }
        long end = nanos.getAsLong() + patience;
        while (queue.size() < wanted && end - nanos.getAsLong() > 0) {
            LockSupport.parkNanos(this, GATHER_STEP);
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
            counts.addFailed(others.size());
            publisher.tell(others, false);
            updates = taken.stream().filter(fits).toList();
            if (updates.isEmpty()) {
                return;
            }
        }
        if (follows) {
            leader.store(updates);
        } else {
            clients.store(updates);
        }
    }
}
