package dev.weir.storage.shared;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.log.ConsumerHealth;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogReleasedException;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The thread that sends the updates of this node to Redis, in the order of the log.
 *
 * <p>Each batch names the node and the revisions, and says what Redis must have already. Redis skips what it
 * has, so that a batch may be sent again after a lost answer. If Redis has less than it had, it has lost its last
 * seconds; the thread then sends from there on again.
 */
final class Pusher implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Pusher.class);

    /** The script takes some milliseconds for so many; meanwhile Redis answers no other request. */
    private static final int BATCH = 100;
    private static final int READ = 1_000;
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration LOOK = Duration.ofSeconds(5);
    /** How long a batch waits for the states that Redis had before. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** How often hashes that a batch needs are put back, if Redis loses them again. */
    private static final int OFFERS = 10;
    private static final long FIRST_PAUSE = 50;
    private static final long LONGEST_PAUSE = 2_000;

    /** The time for replicas and disks. A file that is synced each second is late when its disk is slow. */
    private static final long KEEP_MILLIS = 3_000;

    /** The time for any answer, with that for replicas and disks. */
    private static final Duration WAIT = Duration.ofSeconds(4);

    private final SharedNode node;
    private final UpdateLog log;
    private final KeyLayout layout;
    private final @Nullable ShardConnection[] connections;
    private final @Nullable RedisPromise[] promises;

    /** The last revision of each shard that Redis is sure to keep; -1 for none. */
    private final long[] kept;

    /** The last revision that each shard surely has; -1 for none. */
    private final long[] had;
    private LogReader reader;
    private List<LoggedUpdate> unsent = List.of();
    private volatile long pushed;
    private final ConsumerHealth health;
    private volatile boolean ended;
    private final PutBack putBack;
    /** The digests of a batch that Redis need not have. */
    private final Set<Digest> absent = new HashSet<>();
    private long lookDue = System.nanoTime();
    private long announceDue = System.nanoTime();
    private final AtomicReferenceArray<String> servers;
    private volatile boolean finishing;
    private volatile long deadline;

    Pusher(SharedNode node, UpdateLog log, LogClaim claim) {
        this.node = node;
        this.log = log;
        this.layout = node.layout();
        this.putBack = new PutBack(node);
        this.connections = new @Nullable ShardConnection[layout.shards()];
        this.promises = new @Nullable RedisPromise[layout.shards()];
        this.kept = new long[layout.shards()];
        Arrays.fill(kept, -1);
        String[] unknown = new String[layout.shards()];
        Arrays.fill(unknown, "");
        this.servers = new AtomicReferenceArray<>(unknown);
        this.had = new long[layout.shards()];
        long from = Long.MAX_VALUE;
        for (int i = 0; i < had.length; i++) {
            had[i] = node.position(i).pushed();
            from = Math.min(from, node.position(i).reflected());
        }
        this.pushed = from;
        this.reader = log.reader(from + 1);
        this.health = new ConsumerHealth(log, claim, from,
                new ConsumerHealth.Words("the shared Redis", "does not take updates", "takes updates"),
                System::nanoTime);
    }

    ConsumerStatus status() {
        return health.status(ended);
    }

    String failure() {
        return health.failure();
    }

    /** Returns the server of each shard that takes writes; empty texts if unknown. Any thread may ask. */
    List<String> servers() {
        List<String> known = new ArrayList<>();
        for (int i = 0; i < servers.length(); i++) {
            known.add(servers.get(i));
        }
        return known;
    }

    /** Returns the last revision that Redis has. Any thread may ask. */
    long pushed() {
        return pushed;
    }

    /** Makes {@link #run} return when everything is sent, or the time is over. */
    void finish(Duration most) {
        deadline = System.nanoTime() + most.toNanos();
        finishing = true;
    }

    @Override
    public void run() {
        long pause = FIRST_PAUSE;
        boolean reconnects = false;
        while (true) {
            boolean last = finishing;
            boolean sent = false;
            try {
                sent = turn();
                health.reached(pushed);
                if ((failure().isEmpty() && (sent || !reconnects)) || answers()) {
                    health.works();
                    pause = FIRST_PAUSE;
                    reconnects = false;
                }
            } catch (StorageException | RuntimeException e) {
                disconnect();
                if (isBroken(e) && !reconnects && !last) {
                    // The connection broke while it was idle. A new one may work.
                    reconnects = true;
                    continue;
                }
                StorageException failed = RedisConnections.failure("write to " + node.settings(), e);
                health.failed(String.valueOf(failed.getMessage()), null);
                if (!last) {
                    node.pause(pause, false);
                }
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
            if (last && (!sent || System.nanoTime() - deadline >= 0)) {
                break;
            }
            if (!sent) {
                rest();
            }
        }
        ended = true;
        disconnect();
        closeReader();
    }

    /** Returns whether a connection has ended, unlike one that cannot be opened or has no answer in time. */
    private static boolean isBroken(Exception e) {
        return e instanceof JedisConnectionException && !(e.getCause() instanceof SocketTimeoutException);
    }

    /** Returns whether every shard takes a batch without updates. A turn without updates asks nothing. */
    private boolean answers() throws StorageException {
        if (node.isRestoring()) {
            return false;
        }
        for (int shard = 0; shard < had.length; shard++) {
            if (!push(shard, List.of())) {
                return false;
            }
        }
        return true;
    }

    private void rest() {
        if (node.quorum() == null) {
            // So that the next batch has several updates.
            LockSupport.parkNanos(this, IDLE_NANOS);
            return;
        }
        try {
            // A client waits for the next update.
            log.awaitAfter(reader.next() - 1, Duration.ofNanos(IDLE_NANOS));
        } catch (InterruptedException e) {
            LOG.debug("interrupted while waiting for updates", e);
        }
    }

    private void closeReader() {
        try {
            reader.close();
        } catch (IOException e) {
            LOG.debug("closing the log failed", e);
        }
    }

    /** Sends some updates. Returns false if there are none. */
    private boolean turn() throws StorageException {
        announce();
        if (node.isRestoring()) {
            return false;
        }
        if (unsent.isEmpty()) {
            unsent = readLog();
        }
        if (unsent.isEmpty()) {
            look();
            confirm();
            return false;
        }
        boolean sent = send(unsent);
        if (sent) {
            pushed = unsent.getLast().revision();
            unsent = List.of();
            node.pushed(had);
            confirm();
        }
        return sent;
    }

    /** Reads on. If the log has deleted what comes next, the other threads put back what this node holds. */
    private List<LoggedUpdate> readLog() throws StorageException {
        try {
            return reader.read(READ);
        } catch (LogReleasedException e) {
            if (log.has(reader.next())) {
                // It is there and cannot be read, so putting back the states would lead here again.
                throw e;
            }
            long first = Long.MAX_VALUE;
            for (int shard = 0; shard < had.length; shard++) {
                first = Math.min(first, node.resendFrom(shard, had[shard]));
                node.lost(shard);
            }
            closeReader();
            reader = log.reader(Math.min(first, log.durable() + 1));
            throw e;
        }
    }

    /** Has clients hear that Redis has their updates, once it keeps them as the settings ask for. */
    private void confirm() throws StorageException {
        SharedQuorum quorum = node.quorum();
        long end = pushed;
        if (quorum == null || quorum.reached() >= end) {
            return;
        }
        SharedSettings.Confirmation wanted = node.settings().confirmation();
        if (wanted.isStrict()) {
            List<Callable<Integer>> waits = new ArrayList<>();
            for (int shard = 0; shard < had.length; shard++) {
                if (had[shard] > kept[shard]) {
                    // After another server took over, it may lack what the last one had.
                    if (!push(shard, List.of())) {
                        return;
                    }
                    int one = shard;
                    waits.add(() -> keep(one, wanted));
                }
            }
            awaitAll(waits);
        }
        quorum.reach(end);
    }

    private int keep(int shard, SharedSettings.Confirmation wanted) throws StorageException {
        RedisPromise promise = Objects.requireNonNull(promises[shard]);
        if (wanted.onDisk() && !promise.waitsForDisk() && !promise.answersFromDisk()) {
            throw new StorageException("redis_fsync needs appendfsync always, or a server with WAITAOF (Redis 7.2, "
                    + "Valkey); " + promise.describe());
        }
        if (wanted.replicas() > 0 || promise.waitsForDisk()) {
            connection(shard).awaitKept(wanted, promise, KEEP_MILLIS);
        }
        return shard;
    }

    /** Waits for all shards at once: each may take until the next sync of its server. */
    private void awaitAll(List<Callable<Integer>> waits) throws StorageException {
        StorageException failure = null;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> wait : waits.stream().map(threads::submit).toList()) {
                try {
                    int shard = wait.get();
                    kept[shard] = had[shard];
                } catch (ExecutionException e) {
                    failure = e.getCause() instanceof StorageException known
                            ? known
                            : e.getCause() instanceof JedisException client
                                    ? RedisConnections.failure("wait for " + node.settings(), client)
                                    : new StorageException("waiting for the shared Redis failed: "
                                            + Reason.of(e), e);
                } catch (InterruptedException e) {
                    failure = new StorageException("interrupted", e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Tells the other nodes of this one from time to time. */
    private void announce() throws StorageException {
        if (System.nanoTime() - announceDue >= 0) {
            ShardConnection connection = connection(0);
            node.admit(connection);
            SharedPeer self = node.self();
            node.met(connection.announce(self));
            for (int shard = 1; shard < had.length; shard++) {
                // After a restart of its server, the nodes wait for those that it knows.
                connection(shard).announce(self);
            }
            // Only now: a node that is refused sends nothing until it is not.
            announceDue = System.nanoTime() + LOOK.toNanos();
        }
    }

    /** Sends nothing from time to time, to learn whether Redis has lost anything. */
    private void look() throws StorageException {
        if (System.nanoTime() - lookDue < 0) {
            return;
        }
        lookDue = System.nanoTime() + LOOK.toNanos();
        for (int shard = 0; shard < had.length; shard++) {
            if (!push(shard, List.of())) {
                return;
            }
        }
    }

    /** Returns whether Redis has them all now. */
    private boolean send(List<LoggedUpdate> updates) throws StorageException {
        List<List<LoggedUpdate>> parts = new ArrayList<>();
        for (int i = 0; i < had.length; i++) {
            parts.add(new ArrayList<>());
        }
        for (LoggedUpdate logged : updates) {
            if (isShared(logged)) {
                parts.get(layout.shard(logged.update().digest())).add(logged);
            }
        }
        for (int shard = 0; shard < had.length; shard++) {
            List<LoggedUpdate> part = parts.get(shard);
            for (int from = 0; from < part.size(); from += BATCH) {
                if (!push(shard, part.subList(from, Math.min(part.size(), from + BATCH)))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns whether an update is one of this node that Redis is to have. */
    static boolean isShared(LoggedUpdate logged) {
        return !logged.origin().equals(UpdateOrigin.SHARED) && !(logged.update() instanceof Update.Expire);
    }

    /** Sends updates to a shard. Returns false if Redis does not take them now. */
    private boolean push(int shard, List<LoggedUpdate> updates) throws StorageException {
        ShardConnection connection = connection(shard);
        absent.clear();
        int offers = 0;
        while (true) {
            ShardConnection.Pushed result;
            try {
                result = connection.push(updates, had[shard], node.entry(shard), node.answered(shard),
                        node.settings().history(), node.pending()::isKnown, absent);
            } catch (ShardConnection.LostRedisException e) {
                // The thread that follows the stream puts back what this node holds.
                LOG.warn("shard {}: {}; this node sends nothing until it has put back what it holds", shard,
                        e.getMessage());
                node.lost(shard);
                disconnect();
                return false;
            }
            switch (result) {
                case ShardConnection.Pushed.Done(long revision, long kept) -> {
                    had[shard] = Math.max(had[shard], revision);
                    if (kept > 0) {
                        LOG.warn(
                                "shard {}: an undo kept {} flags in the shared Redis, because other nodes have learned "
                                        + "them meanwhile",
                                shard, kept);
                        node.countKept(kept);
                    }
                    return true;
                }
                case ShardConnection.Pushed.Behind(long revision) -> {
                    if (revision < had[shard]) {
                        goBack(shard, revision);
                    } else {
                        LOG.warn("shard {}: the shared Redis has lost changes that this node has seen", shard);
                    }
                    node.lost(shard);
                    return false;
                }
                case ShardConnection.Pushed.Lacking lacking -> {
                    offers++;
                    if (offers > OFFERS || !offer(shard, connection, lacking)) {
                        return false;
                    }
                }
                case ShardConnection.Pushed.Unfinished(String claim) -> {
                    LOG.warn("shard {}: a node that put back what the shared Redis had lost did not finish ({}); this "
                            + "node puts back what it holds", shard, claim);
                    node.lost(shard);
                    return false;
                }
                case ShardConnection.Pushed.Busy(String holder) -> {
                    LOG.debug("shard {}: node {} puts back what Redis has lost", shard, holder);
                    return false;
                }
            }
        }
    }

    /**
     * Offers what this node holds of hashes that Redis lacks, because the updates of a batch build on it. What it holds
     * must have every change that Redis had: those of the other nodes, and its own.
     *
     * @return false if the batch must wait
     */
    private boolean offer(int shard, ShardConnection connection, ShardConnection.Pushed.Lacking lacking)
            throws StorageException {
        had[shard] = Math.max(had[shard], lacking.revision());
        node.pushed(had);
        if (!node.awaitEntry(shard, lacking.top(), PATIENCE)) {
            return false;
        }
        long seen = node.entry(shard);
        Set<Digest> unsure = new HashSet<>();
        Map<Digest, StoredHash> held = new HashMap<>();
        putBack.held(lacking.digests(), lacking.revision(), unsure).forEach((digest, one) -> {
            StoredHash missing = putBack.lacking(one, null, false, lacking.now());
            if (missing != null) {
                held.put(digest, missing);
            }
        });
        if (!held.isEmpty()) {
            if (!node.mayOffer()) {
                throw new StorageException("it lacks hashes that this node holds, and this node cannot put them back "
                        + "while the clocks differ");
            }
            LOG.warn("the shared Redis lacks {} hashes that this node holds; it puts them back", held.size());
        }
        if (!unsure.isEmpty()) {
            // The thread that follows the stream reads their states.
            LOG.debug("shard {}: {} hashes have updates that no state has brought yet", shard, unsure.size());
            return false;
        }
        // What it takes is there in the next try, unless it goes again.
        Set<Digest> there = new HashSet<>(held.keySet());
        there.removeAll(putBack.offer(connection, held, seen, Set.of(), false).deleted());
        lacking.digests().stream().filter(digest -> !there.contains(digest)).forEach(absent::add);
        return true;
    }

    private void goBack(int shard, long revision) {
        long first = node.resendFrom(shard, revision);
        LOG.warn("shard {}: Redis lost the updates of this node after {} (it had those up to {}); this node puts back "
                + "what it holds, and sends its updates from {} on again", shard, revision, had[shard], first);
        had[shard] = revision;
        kept[shard] = Math.min(kept[shard], revision);
        unsent = List.of();
        pushed = Math.min(pushed, first - 1);
        closeReader();
        reader = log.reader(Math.min(first, log.durable() + 1));
    }

    private ShardConnection connection(int shard) throws StorageException {
        ShardConnection known = connections[shard];
        if (known == null) {
            known = node.connect(shard, WAIT);
            try {
                RedisPromise promise = known.promise();
                node.requireNoEviction(promise);
                if (node.meet(shard, known).kin()) {
                    node.lost(shard);
                }
                promises[shard] = promise;
                servers.set(shard, known.server());
                node.promised(promise);
            } catch (StorageException | JedisException e) {
                known.close();
                throw e;
            }
            connections[shard] = known;
        }
        return known;
    }

    private void disconnect() {
        for (int i = 0; i < connections.length; i++) {
            ShardConnection known = connections[i];
            connections[i] = null;
            if (known != null) {
                try {
                    known.close();
                } catch (JedisException e) {
                    LOG.debug("closing a connection failed", e);
                }
            }
        }
    }

    /** Takes note that the thread has ended. */
    void died(Throwable e) {
        LOG.error("this node no longer sends updates to the shared Redis", e);
        ended = true;
        health.fails("stopped: " + Reason.of(e));
    }
}
