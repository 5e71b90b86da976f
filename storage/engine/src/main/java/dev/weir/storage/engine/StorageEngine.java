package dev.weir.storage.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.checkpoint.Checkpointer;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.log.Obstacle;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.ExpiryHorizon;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Quorum;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.UpdateWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fuzzy storage without a network: it recovers what the last run stored, makes updates durable, and looks up hashes
 * in memory.
 *
 * <p>{@link #open} recovers, and lookups work from then on; {@link #start} begins to take updates; {@link #close}
 * stores what was accepted. Any thread may call every method; start and close are for one thread each.
 */
public final class StorageEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageEngine.class);

    /** The time that a stop gives each consumer, unless it drains. What one lacks then stays in the log. */
    private static final Duration DRAIN = Duration.ofSeconds(20);

    /** The interval of a stop's progress reports. */
    private static final Duration REPORT = Duration.ofSeconds(5);

    private final EngineFiles store;
    private final Recovery.State state;
    private final LiveHashes hashes;
    private final RemovalBrake brake;
    private final ExpiryHorizon horizon;
    private final UpdateWriter writer;
    private final Role role;
    private final UpdateQueue queue;
    private final Checkpointer checkpointer;
    private final List<AttachedConsumer> attached = new ArrayList<>();

    /** Everything that follows the log, the store first. */
    private final List<LogConsumer> consumers = new CopyOnWriteArrayList<>();
    private final Probe probe;
    private Runnable acknowledged = () -> {};
    private @Nullable Threads threads;
    private boolean closed;

    private record Threads(Thread writing, Thread checkpoints) {}

    private StorageEngine(EngineConfig config, EngineFiles store, Recovery.State state, Probe probe)
            throws StorageException {
        this.store = store;
        this.state = state;
        this.brake = new RemovalBrake(config.nanos(), new SecureRandom()::nextInt);
        UpdateQueue queue = new UpdateQueue(UpdateQueue.DEFAULT_CAPACITY);
        this.role = new Role(config.replication().part());
        this.probe = probe;
        List<MissListener> misses = store.attachments().stream().flatMap(one -> one.misses().stream()).toList();
        this.hashes = new LiveHashes(state.index(), queue, state.timing(), config.clock(), state.clock(), role,
                misses.isEmpty() ? null : misses.getFirst());
        Quorum quorum = store.attachments().stream().flatMap(one -> one.quorum(queue::wake).stream()).findFirst()
                .orElse(config.replication().quorum());
        this.horizon = new ExpiryHorizon(state.timing(), state.clock(), config.nanos(), brake, state.swept());
        this.writer = new UpdateWriter(queue, state.log(), state.index(), this::appear, config.acknowledge(),
                state.timing(), state.clock(), config.nanos(), state.recent(), () -> acknowledged.run(), role,
                quorum, horizon);
        this.queue = queue;
        this.checkpointer = state.hashes().checkpointer(state.log());
        consumers.add(checkpointer);
        attach(config);
        consumers.addAll(attached);
    }

    private void attach(EngineConfig config) throws StorageException {
        EngineParts parts = new EngineParts(state.log(), state.index(), writer, state.timing(), state.clock(),
                () -> state.clock().later(config.clock().millis()) / 1_000, config.nanos(), state.hashes()::signatures,
                brake, checkpointer::sync);
        try {
            for (Attachment attachment : store.attachments()) {
                attachment.attach(parts).ifPresent(attached::add);
            }
        } catch (StorageException | RuntimeException e) {
            state.log().close();
            state.hashes().abandon();
            throw e;
        }
    }

    /** Makes an update of the log visible, on the thread of the writer. */
    private void appear(QueuedUpdate logged) {
        probe.appearing(logged.update());
        for (AttachedConsumer consumer : attached) {
            consumer.appearing(logged);
        }
        state.index().apply(logged.update());
        for (AttachedConsumer consumer : attached) {
            consumer.appeared(state.index().revision(), logged);
        }
    }

    /**
     * Opens and starts an engine, for programs with simple needs.
     *
     * @param store belongs to the engine from now on, which closes it
     * @throws StorageException as {@link #open}
     */
    public static StorageEngine start(EngineConfig config, EngineFiles store) throws StorageException {
        StorageEngine engine = open(config, store, StartProgress.NONE);
        engine.start(() -> {}, (thread, e) -> LOG.error("the thread {} ended; this storage no longer works",
                thread.getName(), e));
        return engine;
    }

    /**
     * Recovers the state of the last run.
     *
     * @param store belongs to the engine from now on, which closes it
     * @throws StorageException with a sentence for the operator; the store is closed then
     */
    public static StorageEngine open(EngineConfig config, EngineFiles store, StartProgress progress)
            throws StorageException {
        return open(config, store, progress, Probe.NONE);
    }

    static StorageEngine open(EngineConfig config, EngineFiles store, StartProgress progress, Probe probe)
            throws StorageException {
        try {
            return new StorageEngine(config, store, Recovery.run(config, store, progress, probe), probe);
        } catch (StorageException | RuntimeException e) {
            try {
                store.close();
            } catch (StorageException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    /**
     * Starts the threads that write the log and the store, and those of what is attached.
     *
     * @param afterReplies runs after the outcomes of some updates were reported, on the thread that reports them
     * @param died called if one of the first two ends because of a defect; the engine no longer works then
     * @throws IllegalStateException if it was started before
     */
    public void start(Runnable afterReplies, Thread.UncaughtExceptionHandler died) {
        if (threads != null || closed) {
            throw new IllegalStateException("an engine can be started once");
        }
        acknowledged = afterReplies;
        Thread.Builder thread = Thread.ofPlatform().uncaughtExceptionHandler(died);
        threads = new Threads(thread.name("weir-writer").start(writer),
                thread.name("weir-feeder").start(checkpointer));
        attached.forEach(AttachedConsumer::start);
    }

    // ---- requests ----

    /** Returns the part that answers requests. */
    public LiveHashes hashes() {
        return hashes;
    }

    /**
     * Looks up a hash by its digest.
     *
     * @return its flags that are not expired, the primary one first; empty if it is not stored
     */
    public List<FlagValue> find(Digest digest) {
        return find(digest, new Lookup());
    }

    /**
     * Looks up a hash by its digest, for those who look up many.
     *
     * @param lookup of the calling thread; a new one takes some hundred kilobytes
     * @return as {@link #find(Digest)}
     */
    public List<FlagValue> find(Digest digest, Lookup lookup) {
        digest.copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        if (!hashes.find(lookup, hashes.now())) {
            return List.of();
        }
        IndexMatch match = lookup.match();
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < match.flagCount(); i++) {
            flags.add(new FlagValue(match.flag(i), match.value(i), match.time(i)));
        }
        return flags;
    }

    /**
     * Returns the signatures of some hashes; those without one are left out.
     *
     * @throws StorageException if the store cannot be written or read
     */
    public Map<Digest, Signature> signatures(Set<Digest> digests) throws StorageException {
        return state.hashes().signatures(digests);
    }

    /**
     * Applies an update of this program. At most {@value UpdateQueue#DEFAULT_CAPACITY} updates may wait for the disk,
     * so a program with more of them waits for earlier ones.
     *
     * @return completes when the update is durable and visible, or exceptionally if it could not be stored
     */
    public CompletableFuture<Void> apply(Update update) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        boolean accepted = hashes.offer(new QueuedUpdate(update, UpdateOrigin.STORAGE, new QueuedUpdate.Outcome() {
            @Override
            public void stored() {
                result.complete(null);
            }

            @Override
            public void failed() {
                result.completeExceptionally(new StorageException("the update could not be stored"));
            }
        }));
        if (!accepted) {
            result.completeExceptionally(new StorageException("too many updates wait for the disk"));
        }
        return result;
    }

    /** Returns the attached consumer of a class; empty if there is none. */
    public <T extends AttachedConsumer> Optional<T> attached(Class<T> type) {
        return attached.stream().filter(type::isInstance).map(type::cast).findFirst();
    }

    /** Adds another consumer of the log, which is to end before the engine. Any thread may call it. */
    public void add(LogConsumer consumer) {
        consumers.add(consumer);
    }

    /** Returns the brake that everything asks that removes many hashes. */
    public RemovalBrake brake() {
        return brake;
    }

    /** Returns the time by which hashes age, which takes the opinions of other parties. */
    public StorageClock clock() {
        return state.clock();
    }

    /** Returns the random number of the storage, which its log has, too. */
    public long storageId() {
        return state.log().storageId();
    }

    // ---- replication ----

    /** Returns the update log, for reading. */
    public UpdateLog log() {
        return state.log();
    }

    /** Returns the writer, for changes of the role and for work on its thread. */
    public UpdateWriter writer() {
        return writer;
    }

    /** Tells the writer that other nodes have got further. Any thread may call it. */
    public void replicated() {
        queue.wake();
    }

    /** Returns the part of this node. */
    public Role role() {
        return role;
    }

    // ---- operation ----

    /** Changes the age of expiry and the time between two transactions of the mirror. */
    public void reconfigure(Duration expire, Duration sync) {
        state.timing().change(expire, sync);
    }

    /**
     * Removes everything expired now rather than within the next minute.
     *
     * @return completes with the number of flags, or exceptionally if the log does not take the removal
     */
    public CompletableFuture<Long> sweep() {
        return writer.sweep();
    }

    /**
     * Writes a checkpoint of the store now.
     *
     * @return completes with the resulting revision of the store, or with the reason why it cannot be written
     */
    public CompletableFuture<Long> checkpoint() {
        return checkpointer.sync();
    }

    /**
     * Has each consumer of the log take now what it would take later: the store with a checkpoint, and the mirror.
     *
     * @return completes with the resulting revision of the store, or with the reason why one cannot take it
     */
    public CompletableFuture<Long> sync() {
        return consumers.stream().map(LogConsumer::sync)
                .reduce((store, other) -> store.thenCombine(other, (revision, _) -> revision)).orElseThrow();
    }

    /** Trusts the clock of the machine from now on, whatever its deviation. */
    public void trustClock() {
        state.clock().believe();
    }

    /**
     * Saves the time and the end of the log for the next start, which compares its clock and its log with them. Call it
     * about once a minute.
     */
    public void saveTime() {
        StorageClock clock = state.clock();
        attached.forEach(consumer -> consumer.reportTime(clock));
        // A tool sweeps nothing, and must not forget the last sweep. An earlier one never lets more expire.
        OptionalLong swept = horizon.last().isPresent() ? horizon.last() : state.swept();
        store.saveLastRun(storageId(), new LastRun(clock.millis(), swept, clock.doubtSoFar()));
        state.log().noteEnd();
    }

    /** Returns the current state. */
    public EngineStats stats() {
        UpdateLog log = state.log();
        long durable = log.durable();
        Optional<AttachedConsumer.Copy> copy = copy();
        return new EngineStats(hashes.size(), Math.min(durable, state.index().revision()),
                hashes.queued(),
                Math.max(0, durable - log.applied()),
                log.bytes(), checkpointer.failure(), damage(),
                copy.map(AttachedConsumer.Copy::failure).orElse(""), isRefusing(), writer.isFull(),
                state.clock().doubt(),
                troubles(), new EngineStats.Updates(writer.forces(), writer.stored(), writer.failed(),
                        writer.repeated(), writer.expired(), writer.refreshed()),
                hashes.crowded(), hashes.indexBytes(), state.hashes().figures(),
                copy.map(AttachedConsumer.Copy::lacking),
                brake.waiting().size(), brake.held(), consumers.stream().map(LogConsumer::status).toList());
    }

    private boolean isRefusing() {
        return writer.isFailing() || state.log().hindrance().isPresent();
    }

    private Optional<AttachedConsumer.Copy> copy() {
        return attached.stream().flatMap(consumer -> consumer.copy().stream()).findFirst();
    }

    /** Returns how damage of the store was found, or else of what is attached; empty if there is none. */
    private String damage() {
        return Stream.concat(Stream.of(checkpointer.damage()), attached.stream().map(AttachedConsumer::damage))
                .filter(found -> !found.isEmpty()).findFirst().orElse("");
    }

    private List<Trouble> troubles() {
        UpdateLog log = state.log();
        List<Trouble> troubles = new ArrayList<>();
        if (isRefusing()) {
            troubles.add(log.hindrance()
                    .map(hindrance -> new Trouble("updates are refused: " + hindrance.obstacle().description(),
                            hindrance.detail()))
                    .orElseGet(() -> new Trouble("updates are refused: " + Obstacle.FAILURE.description(), "")));
        }
        if (writer.isFull()) {
            troubles.add(new Trouble("updates are rejected: the memory index is full", ""));
        }
        if (hashes.isQueueFull()) {
            troubles.add(new Trouble("updates are refused: more arrive than the disk takes",
                    hashes.queued() + " wait"));
        }
        if (troubles.isEmpty() && checkpointer.failure().isEmpty() && isFarBehind()) {
            troubles.add(new Trouble("the store is far behind the log: updates will be refused when that is full",
                    unapplied() + " updates in " + (log.bytes() >> 20) + " of " + (log.maxBytes() >> 20) + " MiB"));
        }
        consumers.forEach(consumer -> troubles.addAll(consumer.troubles()));
        if (!state.clock().disagreement().isEmpty()) {
            troubles.add(new Trouble("the clock of this machine differs from another one",
                    state.clock().disagreement()));
        }
        troubles.addAll(brake.troubles());
        troubles.addAll(store.troubles());
        return troubles;
    }

    /** Returns whether less than a quarter of the log is free, without counting what the store has. */
    private boolean isFarBehind() {
        UpdateLog log = state.log();
        return unapplied() > 0 && log.unappliedBytes() > log.maxBytes() / 4 * 3;
    }

    private long unapplied() {
        return Math.max(0, state.log().durable() - state.log().applied());
    }

    // ---- the end ----

    /** Stores and answers every queued update, then returns. Offer no more updates. */
    public void finishUpdates() {
        attached.forEach(AttachedConsumer::stopListening);
        if (threads != null) {
            writer.finish();
            UninterruptibleJoin.of(threads.writing());
        }
    }

    /** Closes without draining: {@link #close(boolean, LongConsumer)} writes to the mirror for a limited time. */
    @Override
    public void close() {
        close(false, _ -> {});
    }

    /**
     * Stores the accepted updates, brings store and mirror up to date and releases them. Updates that one of them does
     * not get stay in the log for the next start. Does nothing the second time.
     *
     * @param drain whether to wait until both have everything, however long that takes; otherwise for at most 20
     *            seconds, and not for a mirror that cannot be written
     * @param waiting receives the number of updates that the store or the mirror lacks, every few seconds
     */
    public void close(boolean drain, LongConsumer waiting) {
        if (closed) {
            return;
        }
        closed = true;
        finishUpdates();
        // The store last, whose end frees what the others no longer need.
        consumers.reversed().forEach(consumer -> consumer.finish(drain ? LogConsumer.FOREVER : DRAIN));
        if (threads != null) {
            UninterruptibleJoin.of(threads.checkpoints(), REPORT,
                    () -> waiting.accept(checkpointer.status().behind()));
            attached.forEach(consumer -> consumer.awaitEnd(REPORT, waiting));
        }
        saveTime();
        release();
        reportRemainder();
    }

    private void release() {
        try (store) {
            state.hashes().close(state.log());
        } catch (StorageException e) {
            LOG.warn("{}", e.getMessage(), e);
        }
    }

    /**
     * Reports updates that stay in the log, because another program that continues with the mirror does not know of
     * the log.
     */
    private void reportRemainder() {
        long stored = hashes.size();
        long left = unapplied();
        if (left > 0) {
            String failure = checkpointer.failure();
            LOG.warn("stopped; {} hashes are stored. {} updates are in the log and not in the store{}: the next start "
                    + "applies them", stored, left,
                    failure.isEmpty() ? "" : ", which cannot be written (" + failure + ")");
        } else if (copy().isEmpty()) {
            LOG.info("stopped; {} hashes are stored", stored);
        }
        attached.forEach(consumer -> consumer.reportEnd(stored));
    }

    // ---- for tests that run the threads turn by turn ----

    Recovery.State state() {
        return state;
    }

    Checkpointer checkpointer() {
        return checkpointer;
    }
}
