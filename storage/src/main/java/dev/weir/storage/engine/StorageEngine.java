package dev.weir.storage.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.checkpoint.Checkpointer;
import dev.weir.storage.database.IntegrityCheck;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.log.Obstacle;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.mirror.MirrorFeeder;
import dev.weir.storage.queue.ExpiryHorizon;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.UpdateWriter;
import dev.weir.storage.shared.MissedChecks;
import dev.weir.storage.shared.SharedNode;
import dev.weir.storage.shared.SharedParts;
import dev.weir.storage.shared.SharedQuorum;
import dev.weir.storage.shared.SharedSettings;
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
    private final Optional<MirrorFeeder> mirror;
    private final IntegrityCheck mirrorCheck;
    private final Optional<SharedNode> shared;

    /** Everything that follows the log, the store first. */
    private final List<LogConsumer> consumers = new CopyOnWriteArrayList<>();
    private final Probe probe;
    private Runnable acknowledged = () -> {};
    private @Nullable Threads threads;
    private boolean closed;

    private record Threads(Thread writing, Map<LogConsumer, Thread> consuming, Thread checking) {}

    private StorageEngine(EngineConfig config, EngineFiles store, Recovery.State state, Probe probe)
            throws StorageException {
        this.store = store;
        this.state = state;
        this.brake = new RemovalBrake(config.nanos(), new SecureRandom()::nextInt);
        UpdateQueue queue = new UpdateQueue(UpdateQueue.DEFAULT_CAPACITY);
        this.role = new Role(config.replication().part());
        this.probe = probe;
        Optional<SharedPlace> place = store.sharing();
        MissedChecks missed = place.map(SharedPlace::settings).filter(SharedSettings::asks)
                .map(_ -> new MissedChecks()).orElse(null);
        this.hashes = new LiveHashes(state.index(), queue, state.timing(), config.clock(), state.clock(), role,
                missed);
        SharedQuorum confirmed = place.map(SharedPlace::settings).map(SharedSettings::confirmation)
                .filter(SharedSettings.Confirmation::needed)
                .map(wanted -> new SharedQuorum(wanted.patience(), queue::wake)).orElse(null);
        this.horizon = new ExpiryHorizon(state.timing(), state.clock(), config.nanos(), brake, state.swept());
        this.writer = new UpdateWriter(queue, state.log(), state.index(), this::appear, config.acknowledge(),
                state.timing(), state.clock(), config.nanos(), state.recent(), () -> acknowledged.run(), role,
                confirmed == null ? config.replication().quorum() : confirmed, horizon);
        this.queue = queue;
        this.checkpointer = state.hashes().checkpointer(state.log());
        this.mirror = state.hashes().mirror(state.log(), state.timing(), state.clock());
        this.mirrorCheck = mirror.map(MirrorFeeder::check).orElse(IntegrityCheck.NONE);
        this.shared = shared(place, config, state, writer, confirmed, missed, brake);
        consumers.add(checkpointer);
        mirror.ifPresent(consumers::add);
        shared.ifPresent(consumers::add);
    }

    private static Optional<SharedNode> shared(Optional<SharedPlace> place, EngineConfig config, Recovery.State state,
            UpdateWriter writer, @Nullable SharedQuorum confirmed, @Nullable MissedChecks missed, RemovalBrake brake)
            throws StorageException {
        if (place.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SharedNode(place.get().settings(), place.get().files(),
                    new SharedParts(state.log(), state.redis(), writer::change, state.timing(),
                            () -> state.clock().later(config.clock().millis()) / 1_000, state.hashes()::signatures,
                            brake),
                    state.index(), confirmed, missed));
        } catch (StorageException | RuntimeException e) {
            state.log().close();
            state.hashes().abandon();
            throw e;
        }
    }

    /** Makes an update of the log visible, on the thread of the writer. */
    private void appear(QueuedUpdate logged) {
        probe.appearing(logged.update());
        shared.ifPresent(node -> node.appearing(state.index(), logged.origin(), logged.update()));
        state.index().apply(logged.update());
        shared.ifPresent(node -> node.appeared(state.index().revision(), logged.origin(), logged.update()));
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
     * Starts the threads that write the log, the store and the mirror, and check the mirror.
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
        Map<LogConsumer, Thread> consuming = new LinkedHashMap<>();
        threads = new Threads(thread.name("weir-writer").start(writer), consuming,
                // The storage works without the check and without a mirror, so their defects are no reason to stop.
                Thread.ofPlatform().name("weir-damage").daemon()
                        .uncaughtExceptionHandler((_, e) -> LOG.error("the search for damage failed", e))
                        .start(mirrorCheck));
        consuming.put(checkpointer, thread.name("weir-feeder").start(checkpointer));
        mirror.ifPresent(feeder -> consuming.put(feeder, Thread.ofPlatform().name("weir-mirror").daemon()
                .uncaughtExceptionHandler((_, e) -> LOG.error("{} no longer gets updates", feeder.name(), e))
                .start(feeder)));
        shared.ifPresent(SharedNode::start);
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

    /** Returns the part that shares the hashes with other nodes; empty for a storage of its own. */
    public Optional<SharedNode> shared() {
        return shared;
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
        shared.ifPresent(node -> node.redisMillis()
                .ifPresent(millis -> clock.heard("the shared Redis", millis, node.isElsewhere())));
        // A tool sweeps nothing, and must not forget the last sweep. An earlier one never lets more expire.
        OptionalLong swept = horizon.last().isPresent() ? horizon.last() : state.swept();
        store.saveLastRun(storageId(), new LastRun(clock.millis(), swept, clock.doubtSoFar()));
        state.log().noteEnd();
    }

    /** Returns the current state. */
    public EngineStats stats() {
        UpdateLog log = state.log();
        long durable = log.durable();
        return new EngineStats(hashes.size(), Math.min(durable, state.index().revision()),
                hashes.queued(),
                Math.max(0, durable - log.applied()),
                log.bytes(), checkpointer.failure(), damage(),
                mirror.map(MirrorFeeder::failure).orElse(""), isRefusing(), writer.isFull(), state.clock().doubt(),
                troubles(), new EngineStats.Updates(writer.forces(), writer.stored(), writer.failed(),
                        writer.repeated(), writer.expired(), writer.refreshed()),
                hashes.crowded(), hashes.indexBytes(), state.hashes().figures(), mirror.map(_ -> unmirrored()),
                brake.waiting().size(), brake.held(), consumers.stream().map(LogConsumer::status).toList(),
                shared.map(node -> node.figures(writer.unreplicated())));
    }

    private boolean isRefusing() {
        return writer.isFailing() || state.log().hindrance().isPresent();
    }

    /** Returns how damage of the store was found, or else of the mirror; empty if there is none. */
    private String damage() {
        String found = checkpointer.damage();
        return found.isEmpty() ? mirror.map(MirrorFeeder::damage).orElse("") : found;
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

    /** Returns the number of updates that the mirror lacks. */
    private long unmirrored() {
        return mirror.map(feeder -> Math.max(0, state.log().durable() - Math.max(0, feeder.reached()))).orElse(0L);
    }

    private long unapplied() {
        return Math.max(0, state.log().durable() - state.log().applied());
    }

    // ---- the end ----

    /** Stores and answers every queued update, then returns. Offer no more updates. */
    public void finishUpdates() {
        mirrorCheck.end();
        shared.ifPresent(SharedNode::stopListening);
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
            threads.consuming().forEach((consumer, thread) -> UninterruptibleJoin.of(thread, REPORT,
                    () -> waiting.accept(consumer.status().behind())));
            // An open reader keeps the write-ahead log of a database, and then the mirror would look unfinished.
            UninterruptibleJoin.of(threads.checking());
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
        } else if (mirror.isEmpty()) {
            LOG.info("stopped; {} hashes are stored", stored);
        }
        mirror.ifPresent(feeder -> reportRemainder(feeder, stored));
    }

    private void reportRemainder(MirrorFeeder feeder, long stored) {
        long left = unmirrored();
        if (feeder.isForeign() || feeder.hasDiverged()) {
            LOG.warn("stopped; {} hashes are stored. {} does not have them: {}", stored, feeder.name(),
                    feeder.failure());
        } else if (feeder.reached() < 0 && state.log().durable() > 0) {
            LOG.warn("stopped; {} hashes are stored. {} is not complete ({}): before Rspamd takes it over, start weir "
                    + "serve --drain and stop it again, or run weir mirror", stored, feeder.name(), feeder.failure());
        } else if (left > 0) {
            LOG.warn("stopped; {} hashes are stored. {} updates are in the log and not in {}{}: the next start of weir "
                    + "applies them, but Rspamd would not see them. Before Rspamd takes it over, start weir serve "
                    + "--drain and stop it again", stored, left, feeder.name(),
                    feeder.failure().isEmpty() ? "" : ", which cannot be written (" + feeder.failure() + ")");
        } else {
            LOG.info("stopped; {} hashes are stored, and {} has all of them", stored, feeder.name());
        }
    }

    // ---- for tests that run the threads turn by turn ----

    Recovery.State state() {
        return state;
    }

    Checkpointer checkpointer() {
        return checkpointer;
    }

    Optional<MirrorFeeder> mirror() {
        return mirror;
    }
}
