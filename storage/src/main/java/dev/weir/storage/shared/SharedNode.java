package dev.weir.storage.shared;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import dev.weir.model.Update;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.Timing;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

/**
 * The part of a storage that shares its hashes with other nodes through a shared Redis. {@link #start} once,
 * {@link #stopListening} and {@link #close} once.
 */
public final class SharedNode {
    private static final Logger LOG = LoggerFactory.getLogger(SharedNode.class);

    /** The time between two writes of the position. Each write stores the position of the previous interval. */
    private static final Duration SAVE = Duration.ofSeconds(1);

    private static final int READ = 10_000;

    private final SharedSettings settings;
    private final Path file;
    private final UpdateLog log;
    private final StateSink sink;
    private final Timing timing;
    private final KeyLayout layout;
    private final ShardConnection.Scripts scripts;
    private final RedisConnections redis;
    private final PendingUpdates pending;
    private final SharedPosition position;
    private final long[] reflected;

    /** The end of the log at the start. */
    private final long opened;
    private final List<StreamTail> tails = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Pusher pusher;
    private final Thread pushing;
    private final Object stop = new Object();
    private final LongAdder applied = new LongAdder();
    private final LongAdder rejoined = new LongAdder();
    private volatile boolean stopping;
    private volatile boolean closed;
    private final boolean[] met;
    private final @Nullable SharedQuorum quorum;
    private final String machine;
    private final LongSupplier hashes;
    private final @Nullable MissedChecks missed;
    private final LongAdder found = new LongAdder();
    private @Nullable MissAsker asker;
    private volatile String promise = "";
    private volatile List<SharedPeer> peers = List.of();
    private volatile int unanswered;
    private Ripening ripe;
    private String unsaved = "";

    /**
     * Continues from the last run. Connects to nothing yet.
     *
     * @param file the position of the node
     * @param index has every update of the log
     * @param quorum receives the updates that Redis keeps for certain; null if no client waits for that
     * @param missed checks to ask Redis about; null for none
     * @throws StorageException if the folder has hashes that Redis does not know, or the position does not fit
     */
    public SharedNode(SharedSettings settings, Path file, SharedParts parts, HashIndex index,
            @Nullable SharedQuorum quorum, @Nullable MissedChecks missed) throws StorageException {
        this.quorum = quorum;
        this.missed = missed;
        this.settings = settings;
        this.file = file;
        this.log = parts.log();
        this.sink = parts.sink();
        this.timing = parts.timing();
        this.layout = KeyLayout.of(settings);
        this.scripts = ShardConnection.Scripts.of(layout);
        this.redis = new RedisConnections(settings);
        this.pending = new PendingUpdates(layout);
        this.position = read(index);
        this.ripe = new Ripening(position.copy(), log.handed());
        this.reflected = new long[layout.shards()];
        for (int i = 0; i < reflected.length; i++) {
            reflected[i] = position.shards()[i].reflected();
        }
        long least = position.reflected();
        if (least > log.durable()) {
            throw new StorageException("the shared Redis has updates of this node up to " + least + ", and its log "
                    + "ends with "
                    + log.durable()
                    + ": the folder was restored from a copy. Remove it, so that the node starts again from a scan");
        }
        log.require(least);
        collect(least, log.durable(), (logged, shard) -> logged.revision() > reflected[shard], pending::add);
        this.opened = log.durable();
        this.hashes = index::size;
        this.machine = machineName();
        this.met = new boolean[layout.shards()];
        this.pusher = new Pusher(this, log);
        this.pushing = Thread.ofPlatform().name("weir-push").daemon()
                .uncaughtExceptionHandler((_, e) -> pusher.died(e))
                .unstarted(pusher);
    }

    private static String machineName() {
        try {
            return SharedPeer.printable(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            LOG.debug("this machine has no name", e);
            return SharedPeer.printable("");
        }
    }

    /**
     * Returns the last update of a node that all shards of its Redis have; empty if it has never shared its hashes.
     *
     * @param file the position of the node
     * @throws StorageException if the file cannot be read
     */
    public static OptionalLong reflected(Path file) throws StorageException {
        return SharedPosition.read(file).map(known -> OptionalLong.of(known.reflected())).orElse(OptionalLong.empty());
    }

    private SharedPosition read(HashIndex index) throws StorageException {
        Optional<SharedPosition> known = SharedPosition.read(file);
        if (known.isPresent()) {
            if (known.get().shards().length != layout.shards()) {
                throw new StorageException("the node was used with " + known.get().shards().length
                        + " shards, and the configuration says " + layout.shards());
            }
            return known.get();
        }
        if (index.size() > 0) {
            throw new StorageException("the folder has " + index.size() + " hashes that the other nodes do not know: "
                    + "bring them to the shared Redis with weir export, and begin with an empty folder");
        }
        byte[] name = new byte[Long.BYTES];
        new SecureRandom().nextBytes(name);
        SharedPosition begun = SharedPosition.begin(HexFormat.of().formatHex(name), log.durable(), layout.shards());
        begun.write(file);
        return begun;
    }

    /**
     * A position that is not written yet.
     *
     * @param revision the log has what the position says if it has this revision on disk
     */
    private record Ripening(SharedPosition position, long revision) {}

    /** Which updates are pending. */
    private interface Wanted {
        boolean test(LoggedUpdate logged, int shard);
    }

    /** Reads updates that Redis is to have from the log. */
    private void collect(long after, long until, Wanted wanted, BiConsumer<Long, Update> target)
            throws StorageException {
        try (LogReader reader = log.reader(after + 1)) {
            while (reader.next() <= until) {
                for (LoggedUpdate logged : reader.read((int) Math.min(READ, until + 1 - reader.next()))) {
                    if (Pusher.isShared(logged) && wanted.test(logged, layout.shard(logged.update().digest()))) {
                        target.accept(logged.revision(), logged.update());
                    }
                }
            }
        } catch (java.io.IOException e) {
            throw new StorageException("the update log cannot be closed: " + e.getMessage(), e);
        }
    }

    /** Begins to send and to listen. */
    public void start() {
        LOG.info("node {} shares its hashes with {}", name(), settings);
        pushing.start();
        Thread.ofVirtual().name("weir-position").start(() -> {
            while (!closed) {
                pause(SAVE.toMillis(), false);
                try {
                    save();
                } catch (RuntimeException e) {
                    // Without positions, the log would keep everything.
                    LOG.error("the position of this node was not saved because of a bug; it is tried again", e);
                }
            }
        });
        for (int shard = 0; shard < layout.shards(); shard++) {
            StreamTail tail = new StreamTail(this, shard);
            tails.add(tail);
            threads.add(Thread.ofVirtual().name("weir-tail-" + shard)
                    .uncaughtExceptionHandler((_, e) -> tail.died(e))
                    .start(tail));
        }
        if (missed != null) {
            MissAsker asking = new MissAsker(this, missed, tails.getFirst());
            asker = asking;
            threads.add(Thread.ofVirtual().name("weir-ask")
                    .uncaughtExceptionHandler((_, e) -> LOG.error("this node no longer asks the shared Redis about "
                            + "checks", e))
                    .start(asking));
        }
    }

    /**
     * Takes note of an update that became visible. For the thread of the writer.
     *
     * @param revision its number
     */
    public void appeared(long revision, UpdateOrigin origin, Update update) {
        if (!origin.equals(UpdateOrigin.SHARED) && !(update instanceof Update.Expire)) {
            pending.add(revision, update);
        }
    }

    // ---- for the threads of this package ----

    SharedSettings settings() {
        return settings;
    }

    KeyLayout layout() {
        return layout;
    }

    StateSink sink() {
        return sink;
    }

    PendingUpdates pending() {
        return pending;
    }

    String name() {
        return position.node();
    }

    long base() {
        return position.base();
    }

    long expireSeconds() {
        return timing.expireSeconds();
    }

    @Nullable
    SharedQuorum quorum() {
        return quorum;
    }

    /** Takes note of what a server promises, and tells the operator once. For the thread that sends. */
    void promised(RedisPromise found) {
        String text = found.describe();
        if (!text.equals(promise)) {
            promise = text;
            if (found.isWeak()) {
                LOG.warn("{}", text);
            } else {
                LOG.info("{}", text);
            }
        }
    }

    /** Returns what this node tells the other ones. */
    SharedPeer self() {
        long used = 0;
        synchronized (this) {
            for (SharedPosition.Shard shard : position.shards()) {
                used += shard.entry();
            }
        }
        return new SharedPeer(name(), machine, 0, hashes.getAsLong(), unsent(), used);
    }

    /** Takes note of the nodes that told of themselves. */
    void met(List<SharedPeer> found) {
        peers = found;
    }

    boolean isStopping() {
        return stopping;
    }

    void count(int updates) {
        applied.add(updates);
    }

    void countFound() {
        found.increment();
    }

    boolean asks() {
        return missed != null;
    }

    void countRejoined() {
        rejoined.increment();
    }

    ShardConnection connect(int shard, Duration wait) throws StorageException {
        return ShardConnection.open(redis, scripts, layout, shard, name(), wait);
    }

    Jedis reader(int shard, Duration wait) throws StorageException {
        return redis.reader(layout.keys(shard).nodes(), wait);
    }

    /**
     * Waits, unless the node is closed.
     *
     * @param listening whether the end of listening ends the pause, too
     */
    void pause(long millis, boolean listening) {
        synchronized (stop) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            try {
                while (!closed && !(listening && stopping) && end - System.nanoTime() > 0) {
                    stop.wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the name of a shard, after checking that it is the one that this node knows. */
    String meet(int shard, ShardConnection connection) throws StorageException {
        String known = position(shard).epoch();
        if (!known.equals(SharedPosition.NONE)) {
            ShardConnection.Reading found = connection.states(List.of(), expireSeconds());
            if (!found.epoch().equals(known)) {
                throw stranger(shard);
            }
            requireOwn(shard, found.pushed());
            return known;
        }
        synchronized (this) {
            met[shard] = true;
        }
        byte[] candidate = new byte[Long.BYTES];
        new SecureRandom().nextBytes(candidate);
        return connection.name(HexFormat.of().formatHex(candidate));
    }

    /** Refuses to go on if Redis has updates of this node that its log did not have at the start. */
    private synchronized void requireOwn(int shard, long had) throws StorageException {
        if (had > opened && !met[shard]) {
            throw new StorageException("the shared Redis has updates of this node up to " + had + ", and its log "
                    + "ended with "
                    + opened + " at the start: the folder was restored from a copy. Begin with an empty folder");
        }
        met[shard] = true;
    }

    StorageException stranger(int shard) {
        return new StorageException("shard " + shard + " of " + settings + " is not the one that this node knows: "
                + "the shared Redis was emptied or replaced (docs/nodes.md#a-redis-that-lost-everything)");
    }

    synchronized SharedPosition.Shard position(int shard) {
        return position.shards()[shard];
    }

    /** Takes note that the states so far have the updates of this node. For the thread of the writer. */
    void applied(int shard, long last) {
        reflected[shard] = pending.reflected(shard, last);
        unanswered = pending.size();
    }

    synchronized void reached(int shard, String epoch, long entry, String mark) {
        SharedPosition.Shard now = position.shards()[shard];
        position.shards()[shard] = new SharedPosition.Shard(epoch, entry,
                mark.isEmpty() ? SharedPosition.NONE : mark, now.pushed(), reflected[shard]);
    }

    synchronized void reached(int shard, long entry, String mark) {
        reached(shard, position.shards()[shard].epoch(), entry, mark);
    }

    synchronized void pushed(long[] had) {
        for (int i = 0; i < had.length; i++) {
            position.shards()[i] = position.shards()[i].withPushed(had[i]);
        }
    }

    /** Remembers the updates of this node after a revision as those that Redis lacks. */
    CompletableFuture<Void> rebuild(int shard, long revision) {
        return sink.change(_ -> {
            long until = log.durable();
            Map<Long, Update> missing = new LinkedHashMap<>();
            try {
                long after = Math.max(revision, base());
                collect(log.has(after + 1) ? after : until, until, (_, at) -> at == shard, missing::put);
                pending.replace(shard, until, missing);
            } catch (StorageException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
            return List.of();
        });
    }

    // ---- operation ----

    /**
     * Writes the position of the time before. Call it about once a second. With queued updates the log may be behind,
     * and after a crash of the machine the position must not say more than the log.
     */
    public synchronized void save() {
        if (log.confirmed() >= ripe.revision()) {
            write(ripe.position());
            ripe = new Ripening(position.copy(), log.handed());
        }
    }

    private synchronized void write(SharedPosition saved) {
        try {
            saved.write(file);
            unsaved = "";
            log.require(saved.reflected());
        } catch (StorageException e) {
            if (unsaved.isEmpty()) {
                LOG.warn("{}", e.getMessage(), e);
            }
            unsaved = String.valueOf(e.getMessage());
        }
    }

    /**
     * Returns the state of the node. Any thread may ask.
     *
     * @param unconfirmed number of stored updates whose clients got an error
     */
    public SharedFigures figures(long unconfirmed) {
        return new SharedFigures(name(), settings.toString(), unsent(), received(), rejoined.sum(), unconfirmed,
                asking(), sendingFailure(), listeningFailure(), isWhole(), promise, pusher.servers(), peers);
    }

    private SharedFigures.@Nullable Asking asking() {
        MissAsker asking = asker;
        return missed == null || asking == null
                ? null
                : new SharedFigures.Asking(asking.asked(), missed.dropped(), found.sum());
    }

    /** Returns the number of updates that Redis lacks. Any thread may ask. */
    public long unsent() {
        return Math.max(0, log.durable() - pusher.pushed());
    }

    /** Returns the number of changes that came from other nodes. */
    public long received() {
        return applied.sum();
    }

    /** Returns why Redis takes no updates; empty if it does. */
    public String sendingFailure() {
        return pusher.lost() > 0
                ? "the shared Redis has lost " + pusher.lost() + " updates that the log no longer has"
                : pusher.failure();
    }

    /** Returns why this node does not hear from others; empty if it does. */
    public String listeningFailure() {
        return tails.stream().map(StreamTail::failure).filter(text -> !text.isEmpty()).findFirst().orElse("");
    }

    /** Returns whether the index has everything that Redis had at some time. */
    public boolean isWhole() {
        return !tails.isEmpty() && tails.stream().allMatch(StreamTail::isWhole);
    }

    /** Returns whether every state that Redis announced so far is used, as far as this node knows. */
    public boolean isSettled() {
        return isWhole() && unsent() == 0 && unanswered == 0;
    }

    /** Stops applying changes of other nodes. Call this while the writer still runs. */
    public void stopListening() {
        synchronized (stop) {
            stopping = true;
            stop.notifyAll();
        }
        for (Thread thread : threads) {
            UninterruptibleJoin.of(thread);
        }
    }

    /**
     * Sends what Redis lacks. Call this after the last update.
     *
     * @param most how long that may take; what is left then stays in the log
     */
    public void close(Duration most) {
        synchronized (stop) {
            closed = true;
            stop.notifyAll();
        }
        pusher.finish(most);
        if (pushing.getState() != Thread.State.NEW) {
            UninterruptibleJoin.of(pushing);
        }
        // The last one is not written if the log could not be synced. Then the one before it is, if it can be.
        save();
        save();
    }
}
