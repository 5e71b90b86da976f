package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.net.OtherMachine;
import dev.weir.os.HostName;
import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.brake.MassRemoval;
import dev.weir.storage.engine.AttachedConsumer;
import dev.weir.storage.engine.EngineParts;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.notes.NodeNotes;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.StateSink;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.redis.Keys;
import dev.weir.storage.redis.SharedPosition;
import dev.weir.storage.state.StateFiles;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

/**
 * The part of a storage that shares its hashes with other nodes through a shared Redis. {@link #start} once,
 * {@link #stopListening} and {@link #finish} once.
 */
public final class SharedNode implements AttachedConsumer {
    private static final Logger LOG = LoggerFactory.getLogger(SharedNode.class);

    /** The time between two writes of the position. Each write stores the position of the previous interval. */
    private static final Duration SAVE = Duration.ofSeconds(1);

    private static final int LETTERS = 26;
    private static final int READ = 10_000;
    private static final long ADMISSION_MILLIS = 20;
    private static final long ENTRY_MILLIS = 5;

    /** The name of no node. A node that does not know yet which others there are waits as if one had this name. */
    static final String UNHEARD = "0".repeat(16);

    /** How long the scripts remember deletes. */
    static final Duration REMEMBERED = Duration.ofDays(30);

    private final SharedSettings settings;
    private final StateFiles files;
    private final long storage;
    private final EngineParts parts;
    private final LogClaim claim;
    private final ShardConnection.Sender sender;

    /** Whether the position was lost, so that this node has a new name and offers what it holds. */
    private final boolean rejoins;
    private final UpdateLog log;
    private final StateSink sink;
    private final Timing timing;
    private final KeyLayout layout;
    private final ShardConnection.Scripts scripts;
    private final RedisConnections redis;
    private final PendingUpdates pending;
    private final Lookup lookup = new Lookup();
    private final SharedClocks clocks = new SharedClocks();
    private final LongAdder putBack = new LongAdder();
    private final LongAdder kept = new LongAdder();
    private volatile boolean admitted;
    private volatile String refusal = "";
    private SharedPosition position;
    private final long[] reflected;

    /** For each shard, the last update before those that are sent again; the log keeps what follows. */
    private final long[] floors;

    /** What the file says that Redis has. */
    private long saved;

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

    /** The nodes that were there at earlier contacts or sent updates, and when that was last so. */
    private final Map<String, Long> heard = new ConcurrentHashMap<>();

    /** How often this node has told of itself. At the second time, those that began with it have done so too. */
    private volatile int announcements;
    private volatile int unanswered;
    private Ripening ripe;
    private String unsaved = "";

    /**
     * Continues from the last run. Connects to nothing yet.
     *
     * @param files have the position of the node
     * @param parts the engine, which has every update of the log
     * @param claim the claim of Redis to the log
     * @param quorum receives the updates that Redis keeps for certain; null if no client waits for that
     * @param missed checks to ask Redis about; null for none
     * @throws StorageException if the folder has hashes that Redis does not know, or the position does not fit
     */
    public SharedNode(SharedSettings settings, StateFiles files, EngineParts parts, LogClaim claim,
            @Nullable SharedQuorum quorum, @Nullable MissedChecks missed) throws StorageException {
        this.quorum = quorum;
        this.missed = missed;
        this.settings = settings;
        this.parts = parts;
        this.files = files;
        this.log = parts.log();
        this.storage = log.storageId();
        this.claim = claim;
        this.sink = parts.writer();
        HashIndex index = parts.index();
        this.timing = parts.timing();
        this.layout = KeyLayout.of(settings);
        this.scripts = ShardConnection.Scripts.of(layout);
        this.redis = new RedisConnections(settings);
        this.pending = new PendingUpdates(layout);
        Optional<SharedPosition> known = SharedPosition.read(files, storage);
        this.rejoins = known.isEmpty() && index.size() > 0;
        this.position = known.isPresent() ? resumed(known.get()) : begin(index);
        this.sender = sender();
        this.ripe = new Ripening(position.copy(), log.handed());
        this.reflected = new long[layout.shards()];
        for (int i = 0; i < reflected.length; i++) {
            reflected[i] = position.shards()[i].reflected();
        }
        this.floors = new long[layout.shards()];
        Arrays.fill(floors, Long.MAX_VALUE);
        long least = position.reflected();
        this.saved = least;
        if (least > log.durable()) {
            throw new StorageException("the shared Redis has updates of this node up to " + least + ", and its log "
                    + "ends with "
                    + log.durable()
                    + ": the folder was restored from a copy. Remove it, so that the node starts again from a scan");
        }
        claim.moveTo(least);
        collect(least, log.durable(), (logged, shard) -> logged.revision() > reflected[shard], pending::add);
        this.opened = log.durable();
        refuseEviction();
        this.hashes = index::size;
        this.machine = SharedPeer.printable(HostName.get());
        this.met = new boolean[layout.shards()];
        this.pusher = new Pusher(this, log, claim);
        this.pushing = Thread.ofPlatform().name("weir-push").daemon()
                .uncaughtExceptionHandler((_, e) -> pusher.died(e))
                .unstarted(pusher);
    }

    private SharedPosition resumed(SharedPosition known) throws StorageException {
        if (known.shards().length != layout.shards()) {
            throw new StorageException("the node was used with " + known.shards().length
                    + " shards, and the configuration says " + layout.shards());
        }
        String place = settings.place();
        if (!known.place().isEmpty() && !known.place().equals(place)) {
            throw new StorageException(
                    "the node shared its hashes at " + known.place() + ", and the configuration says "
                            + place + ": set it back, or begin with an empty folder");
        }
        SharedPosition resumed = known.during(random(), place);
        resumed.write(files, storage);
        return resumed;
    }

    private SharedPosition begin(HashIndex index) throws StorageException {
        if (rejoins) {
            if (!SharedPosition.isAside(files)) {
                throw new StorageException("the folder has " + index.size() + " hashes that the other nodes do not "
                        + "know: bring them to the shared Redis with weir export, and begin with an empty folder");
            }
            LOG.error(
                    "the position of this node is lost, so it does not know which of its updates the shared Redis has: "
                            + "it takes a new name and offers its {} hashes, which adds nothing that Redis has",
                    index.size());
        }
        SharedPosition begun = SharedPosition
                .begin(random(), log.durable(), settings.place(), layout.shards())
                .during(random(), settings.place());
        begun.write(files, storage);
        return begun;
    }

    /** Returns a random name. */
    static String random() {
        byte[] name = new byte[Long.BYTES];
        new SecureRandom().nextBytes(name);
        return HexFormat.of().formatHex(name);
    }

    private ShardConnection.Sender sender() {
        return new ShardConnection.Sender() {
            @Override
            public String node() {
                return name();
            }

            @Override
            public String run() {
                return position.runs().getFirst();
            }

            @Override
            public List<String> runs() {
                return position.runs();
            }

            @Override
            public long seconds() {
                return SharedNode.this.seconds();
            }

            @Override
            public long correction() {
                return clocks.correction();
            }

            @Override
            public long expireSeconds() {
                return SharedNode.this.expireSeconds();
            }
        };
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
    private void collect(long after, long until, Wanted wanted, Consumer<LoggedUpdate> target)
            throws StorageException {
        try (LogReader reader = log.reader(after + 1)) {
            while (reader.next() <= until) {
                for (LoggedUpdate logged : reader.read((int) Math.min(READ, until + 1 - reader.next()))) {
                    if (Pusher.isShared(logged) && wanted.test(logged, layout.shard(logged.update().digest()))) {
                        target.accept(logged);
                    }
                }
            }
        } catch (java.io.IOException e) {
            throw new StorageException("the update log cannot be closed: " + Reason.of(e), e);
        }
    }

    @Override
    public void start() {
        LOG.info("node {} shares its hashes with {}", name(), settings);
        for (int shard = 0; shard < layout.shards(); shard++) {
            tails.add(new StreamTail(this, shard));
        }
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
            StreamTail tail = tails.get(shard);
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

    /** Begins to exchange notes with the other nodes. Call it once, after {@link #start}. */
    public void exchange(NodeNotes notes) {
        threads.add(Thread.ofVirtual().name("weir-notes")
                .uncaughtExceptionHandler((_, e) -> LOG.error("this node no longer exchanges counts", e))
                .start(new NoteExchange(this, notes)));
    }

    @Override
    public void appearing(QueuedUpdate logged) {
        if (isOwn(logged) && !pending.isWaiting(logged.update().digest())) {
            pending.before(logged.update().digest(), parts.index().known(logged.update().digest(), lookup));
        }
    }

    @Override
    public void appeared(long revision, QueuedUpdate logged) {
        if (isOwn(logged)) {
            pending.add(new LoggedUpdate(revision, 0, logged.origin(), logged.update()));
        }
    }

    private static boolean isOwn(QueuedUpdate logged) {
        return !logged.origin().equals(UpdateOrigin.SHARED) && !(logged.update() instanceof Update.Expire);
    }

    @Override
    public void reportTime(StorageClock clock) {
        clocks.redisMillis().ifPresent(millis -> clock.heard("the shared Redis", millis, isElsewhere()));
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
        return new SharedPeer(name(), machine, 0, hashes.getAsLong(), unsent(), used, clocks.ahead());
    }

    /** Takes note of the nodes that told of themselves. For the thread that sends. */
    void met(List<SharedPeer> found) {
        long now = System.nanoTime();
        for (String before : recent(peers)) {
            heard.put(before, now);
        }
        heard.values().removeIf(since -> now - since > TimeUnit.SECONDS.toNanos(SharedClocks.RECENT));
        peers = found;
        announcements = Math.min(announcements + 1, 2);
        clocks.peers(found.stream().filter(peer -> !peer.node().equals(name())).toList());
    }

    /** Takes note that updates of a node arrived. */
    void hearOf(String node) {
        if (!node.equals(name())) {
            heard.put(node, System.nanoTime());
        }
    }

    /**
     * Returns the names of the other nodes that told of themselves or sent updates in the last minute, also before the
     * last contact with Redis: after an outage, Redis may know no others, and they come back a little later. A node
     * that runs for some seconds may not know all of them, and adds {@link #UNHEARD}.
     */
    List<String> others() {
        Set<String> names = new LinkedHashSet<>(recent(peers));
        names.addAll(heard.keySet());
        if (announcements < 2) {
            names.add(UNHEARD);
        }
        return List.copyOf(names);
    }

    private List<String> recent(List<SharedPeer> known) {
        return known.stream().filter(peer -> !peer.node().equals(name()) && peer.silentSeconds() <= SharedClocks.RECENT)
                .map(SharedPeer::node).distinct().toList();
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
        return ShardConnection.open(redis, scripts, layout, shard, sender, wait);
    }

    long seconds() {
        return parts.seconds().getAsLong();
    }

    boolean isRejoined() {
        return rejoins;
    }

    /** Returns whether a comparison may remove hashes, or parts of them, now. */
    boolean mayRemove(int shard, long count) {
        StringBuilder name = new StringBuilder("shared");
        for (int rest = shard; rest >= 0; rest = rest / LETTERS - 1) {
            name.append((char) ('a' + rest % LETTERS));
        }
        return parts.brake().mayRemove(new MassRemoval(name.toString(), "shard " + shard + " of " + settings,
                "the shared Redis says that other nodes deleted them, and this node had not heard of it", count,
                hashes.getAsLong()));
    }

    boolean hasHashes() {
        return hashes.getAsLong() > 0;
    }

    Map<Digest, Signature> signatures(Set<Digest> digests) throws StorageException {
        return parts.signatures().of(digests);
    }

    void countPutBack(int states) {
        putBack.add(states);
    }

    /** Returns the number of hashes that this node has offered to Redis since the start. */
    public long putBack() {
        return putBack.sum();
    }

    void countKept(long flags) {
        kept.add(flags);
    }

    /** Returns the number of flags since the start that an undo kept, because other nodes had learned them. */
    public long keptByUndo() {
        return kept.sum();
    }

    /**
     * Returns whether this node may offer states: in the layout of Rspamd, their ends are times of day, so that its
     * clock and that of Redis must agree.
     */
    boolean mayOffer() {
        return layout.keepsSignatures() || !clocks.isOff();
    }

    /** Takes note that a shard has lost changes. */
    void lost(int shard) {
        tails.get(shard).lost();
    }

    /** Returns whether this node puts back what Redis has lost, and sends nothing meanwhile. */
    boolean isRestoring() {
        return tails.stream().anyMatch(StreamTail::isRestoring);
    }

    /** Returns the turns to put back what Redis has lost after which this node has done so. */
    Set<String> answered(int shard) {
        return tails.get(shard).answered();
    }

    /** Returns the last change of a shard that this node has used. */
    long entry(int shard) {
        return tails.get(shard).entry();
    }

    /**
     * Waits until this node has used an entry of a stream.
     *
     * @return false if it has not in time, or does not have everything that Redis had
     */
    boolean awaitEntry(int shard, long wanted, Duration most) {
        StreamTail tail = tails.get(shard);
        long end = System.nanoTime() + most.toNanos();
        while (tail.isWhole() && tail.entry() < wanted && System.nanoTime() - end < 0 && !stopping) {
            pause(ENTRY_MILLIS, true);
        }
        return tail.isWhole() && tail.entry() >= wanted;
    }

    /**
     * Returns the first update to send to a shard that has those up to a revision, and has the log keep it. What the
     * log no longer has is in the states that this node puts back.
     */
    synchronized long resendFrom(int shard, long revision) {
        long first = Math.max(revision, base()) + 1;
        long end = log.durable() + 1;
        while (true) {
            floors[shard] = first - 1;
            requireLog();
            if (first >= end || log.has(first)) {
                return first;
            }
            first = firstInLog(first, end);
        }
    }

    /** Reads the deletes of this node in the log that are no undo, after a revision up to another, in order. */
    void deletes(int shard, long after, long until, Consumer<LoggedUpdate> target) throws StorageException {
        long end = Math.min(until, log.durable()) + 1;
        long first = Math.max(after, base()) + 1;
        if (first < end && !log.has(first)) {
            first = firstInLog(first, end);
        }
        if (first < end) {
            collect(first - 1, end - 1, (logged, at) -> at == shard && isDelete(logged), target);
        }
    }

    private static boolean isDelete(LoggedUpdate logged) {
        return !PendingUpdates.isUndo(logged.origin())
                && (logged.update() instanceof Update.Delete || logged.update() instanceof Update.DeleteAll);
    }

    /** Returns by how many seconds the times in the log of this node may be later than those of Redis. */
    long secondsAhead() {
        return Math.max(0, clocks.ahead() - 1);
    }

    private long firstInLog(long lacking, long end) {
        long low = lacking;
        long high = end;
        while (low + 1 < high) {
            long middle = (low + high) >>> 1;
            if (log.has(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    /** Has the log keep what Redis, or the file of this node, may lack. */
    private void requireLog() {
        long least = Math.min(saved, position.reflected());
        for (long floor : floors) {
            least = Math.min(least, floor);
        }
        claim.moveTo(least);
    }

    /** Refuses a server that removes hashes when its memory is full. */
    void requireNoEviction(RedisPromise found) throws StorageException {
        if (found.evicts()) {
            throw new StorageException(settings + " removes hashes when its memory is full (maxmemory-policy "
                    + found.policy() + "), so this node does not share hashes with it: run CONFIG SET maxmemory-policy "
                    + "noeviction, and set it in redis.conf");
        }
    }

    /** Refuses to start if Redis answers and evicts. If it does not answer now, the first contact decides. */
    private void refuseEviction() throws StorageException {
        RedisPromise found;
        try (Jedis jedis = redis.master(layout.keys(0).nodes(), Duration.ZERO)) {
            found = RedisPromise.of(jedis);
        } catch (StorageException | RuntimeException e) {
            LOG.debug("the shared Redis does not answer yet", e);
            return;
        }
        requireNoEviction(found);
    }

    /** Checks from time to time that this node and the others have the same settings. */
    void admit(ShardConnection connection) throws StorageException {
        clocks.redis(seconds(), connection.now());
        try {
            // The members of a Cluster have different keys.
            byte[] prefix = settings.mode() == SharedSettings.Mode.CLUSTER
                    ? layout.prefix(0)
                    : settings.prefix().getBytes(StandardCharsets.UTF_8);
            connection.requireSettings(settings.place(), new Keys(prefix).settings());
            admitted = true;
            refusal = "";
        } catch (StorageException e) {
            refusal = String.valueOf(e.getMessage());
            throw e;
        }
    }

    /** Waits until this node has compared its settings with the others, because it must not apply its own before. */
    void awaitAdmission() throws StorageException {
        while (!admitted && !stopping) {
            if (!refusal.isEmpty()) {
                throw new StorageException(refusal);
            }
            pause(ADMISSION_MILLIS, true);
        }
    }

    /** What a thread does from time to time while it waits. */
    interface Meanwhile {
        void run() throws StorageException;
    }

    /** Waits for the writer. */
    void await(CompletableFuture<Void> change) throws StorageException {
        await(change, () -> {});
    }

    /** Waits for the writer, and does something about once a second until then. */
    void await(CompletableFuture<Void> change, Meanwhile meanwhile) throws StorageException {
        while (true) {
            try {
                change.get(1, TimeUnit.SECONDS);
                return;
            } catch (java.util.concurrent.TimeoutException e) {
                meanwhile.run();
                if (stopping) {
                    throw new StorageException("the node stops", e);
                }
            } catch (ExecutionException e) {
                throw new StorageException("this node cannot use what the others did: " + reason(e.getCause()), e);
            } catch (CancellationException e) {
                throw new StorageException("the node stops", e);
            } catch (InterruptedException e) {
                throw new StorageException("interrupted", e);
            }
        }
    }

    private static String reason(@Nullable Throwable cause) {
        return cause == null ? "unknown" : String.valueOf(cause.getMessage());
    }

    Jedis reader(int shard, Duration wait) throws StorageException {
        return redis.reader(layout.keys(shard).nodes(), wait);
    }

    Jedis master(int shard, Duration wait) throws StorageException {
        return redis.master(layout.keys(shard).nodes(), wait);
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

    /** Has this node join a shard, after checking that it is the one that this node knows. */
    ShardConnection.Joined meet(int shard, ShardConnection connection) throws StorageException {
        SharedPosition.Shard known = position(shard);
        requireRemembered(connection);
        ShardConnection.Joined joined;
        try {
            joined = connection.join(known.isKnown() ? known.epoch() : "", random(), machine, others());
        } catch (StorageException e) {
            throw new StorageException("shard " + shard + " of " + settings + ": " + e.getMessage(), e);
        }
        clocks.redis(seconds(), joined.now());
        requireOwn(shard, joined.pushed());
        synchronized (this) {
            position = position.withHeard(joined.now());
        }
        return joined;
    }

    /** Refuses to go on if this node was away for longer than deletes are remembered. */
    private void requireRemembered(ShardConnection connection) throws StorageException {
        long heard;
        synchronized (this) {
            heard = position.heard();
        }
        long away = heard == 0 ? 0 : connection.now() - heard;
        if (away > REMEMBERED.toSeconds() && hasHashes()) {
            throw new StorageException("this node has not heard of " + settings + " for " + away / 86_400
                    + " days, and "
                    + "deletes are remembered for " + REMEMBERED.toDays() + " days, so it does not know which of its "
                    + "hashes were deleted: run weir export if you want to keep them, and begin with an empty folder. "
                    + "If "
                    + "the clock of the machine of Redis is wrong, correct it");
        }
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

    synchronized SharedPosition.Shard position(int shard) {
        return position.shards()[shard];
    }

    /** Takes note that the states so far have the updates of this node. For the thread of the writer. */
    void applied(int shard, long last) {
        reflected[shard] = pending.reflected(shard, last);
        unanswered = pending.size();
    }

    /** Returns whether updates of this node that Redis has are not in the states of a shard. */
    boolean isWaiting(int shard) {
        return unanswered > 0 && reflected[shard] < position(shard).pushed();
    }

    synchronized void reached(int shard, String epoch, long entry, String mark, Map<String, Long> revisions,
            Set<String> answered) {
        SharedPosition.Shard now = position.shards()[shard];
        position.shards()[shard] = new SharedPosition.Shard(epoch, entry,
                mark.isEmpty() ? SharedPosition.NONE : mark, now.pushed(), reflected[shard], revisions, answered);
        floors[shard] = Long.MAX_VALUE;
    }

    synchronized void reached(int shard, long entry, String mark, Map<String, Long> revisions) {
        SharedPosition.Shard now = position.shards()[shard];
        reached(shard, now.epoch(), entry, mark, revisions, now.answered());
    }

    synchronized void pushed(long[] had) {
        for (int i = 0; i < had.length; i++) {
            position.shards()[i] = position.shards()[i].withPushed(had[i]);
        }
    }

    /** Remembers the updates of this node after a revision as those that Redis lacks. */
    CompletableFuture<Void> rebuild(int shard, long revision) {
        return sink.change(index -> {
            long until = log.durable();
            List<LoggedUpdate> missing = new ArrayList<>();
            try {
                collect(Math.min(revision, until), until, (_, at) -> at == shard, missing::add);
                pending.replace(shard, until, missing);
                applied(shard, index.revision());
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

    private synchronized void write(SharedPosition written) {
        try {
            written.write(files, storage);
            unsaved = "";
            saved = written.reflected();
            requireLog();
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
    public SharedStats figures(long unconfirmed) {
        return new SharedStats(name(), settings.toString(), unsent(), received(), rejoined.sum(), unconfirmed,
                asking(), sendingFailure(), listeningFailure(), isWhole(), putBack.sum(), kept.sum(), promise,
                pusher.servers(), peers);
    }

    private SharedStats.@Nullable Asking asking() {
        MissAsker asking = asker;
        return missed == null || asking == null
                ? null
                : new SharedStats.Asking(asking.asked(), missed.dropped(), found.sum());
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
        return pusher.failure();
    }

    /** Returns whether none of the configured servers is this machine. May look names up. */
    private boolean isElsewhere() {
        return settings.servers().stream().noneMatch(RedisAddress::isSocket)
                && settings.servers().stream().allMatch(server -> OtherMachine.is(server.host()));
    }

    @Override
    public ConsumerStatus status() {
        return pusher.status();
    }

    @Override
    public List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>();
        if (rejoins) {
            troubles.add(new Trouble("this node lost its position in the shared Redis",
                    "it has taken a new name and offers what it holds"));
        }
        if (clocks.isOff()) {
            troubles.add(new Trouble("the clocks of this node and of the shared Redis differ", clocks.describe()));
        }
        if (isRestoring()) {
            troubles.add(new Trouble("the shared Redis has lost changes", "the nodes put back what they hold"));
        }
        if (!sendingFailure().isEmpty()) {
            troubles.add(new Trouble("the other nodes do not get the updates of this one",
                    sendingFailure() + "; " + unsent() + " updates wait in the log"));
        }
        if (!listeningFailure().isEmpty()) {
            troubles.add(new Trouble("this node does not get the updates of the others", listeningFailure()));
        } else if (!isWhole()) {
            troubles.add(new Trouble("this node does not have all hashes of the shared Redis yet", ""));
        }
        return troubles;
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

    @Override
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
    @Override
    public void finish(Duration most) {
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
