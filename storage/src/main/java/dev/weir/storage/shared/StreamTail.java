package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that follows one stream of Redis and sets the index to the states in it.
 *
 * <p>It remembers the last entry that it used. If Redis no longer has that entry, it has lost its last seconds or
 * the node was away for too long; then the thread compares everything ({@link ShardScan}). Entries have consecutive
 * numbers, so a gap is noticed.
 */
final class StreamTail implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamTail.class);

    private static final int MOST = 50;
    private static final Duration WAIT = Duration.ofMillis(500);

    /** While checks may wait for what was found. */
    private static final Duration SHORT_WAIT = Duration.ofMillis(50);

    private static final int MOST_FOUND = 200;
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final long FIRST_PAUSE = 100;
    private static final long LONGEST_PAUSE = 2_000;

    private final SharedNode node;
    private final int shard;
    private final Lookup lookup = new Lookup();

    /** The last entry that was used, and its mark. */
    private long entry;
    private String mark;

    /** Whether the index has everything that the shard had at some time. */
    private volatile boolean whole;

    private volatile String failure = "";
    private long lookDue = System.nanoTime();
    private long reconcileDue;

    /** What checks have found in Redis, and the index may lack. What has no room is asked for again. */
    private final Queue<Found> found = new ArrayBlockingQueue<>(MissedChecks.ROOM);

    /**
     * A hash of Redis.
     *
     * @param shingles those that are known, for a hash of an older Rspamd, which lacks a list; null for none
     */
    record Found(Digest digest, @Nullable Signature shingles) {}

    StreamTail(SharedNode node, int shard) {
        this.node = node;
        this.shard = shard;
        SharedPosition.Shard known = node.position(shard);
        this.entry = known.entry();
        this.mark = known.mark().equals(SharedPosition.NONE) ? "" : known.mark();
        this.whole = !known.epoch().equals(SharedPosition.NONE);
        this.reconcileDue = System.nanoTime() + node.settings().reconcile().toNanos();
    }

    String failure() {
        return failure;
    }

    /** Has the index take a hash of Redis, unless too many wait. Any thread may call it. */
    void found(Found hash) {
        var _ = found.offer(hash);
    }

    boolean isWhole() {
        return whole;
    }

    @Override
    public void run() {
        long pause = FIRST_PAUSE;
        while (!node.isStopping()) {
            try (ShardConnection connection = node.connect(shard, WAIT)) {
                pause = FIRST_PAUSE;
                follow(connection);
            } catch (StorageException | RuntimeException e) {
                failed(RedisConnections.failure("follow " + node.settings(), e));
                node.pause(pause, true);
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
        }
    }

    /** Takes note that the thread has ended. */
    void died(Throwable e) {
        LOG.error("shard {}: this node no longer receives changes from the other nodes", shard, e);
        failure = "stopped: " + e;
    }

    private void failed(StorageException e) {
        if (failure.isEmpty() && !node.isStopping()) {
            LOG.error("shard {}: this node does not hear from the others; checks and learns continue: {}", shard,
                    e.getMessage());
        }
        failure = String.valueOf(e.getMessage());
    }

    private void recovered() {
        if (!failure.isEmpty()) {
            LOG.info("shard {}: this node hears from the others again", shard);
            failure = "";
        }
    }

    private void follow(ShardConnection connection) throws StorageException {
        String epoch = node.meet(shard, connection);
        verify(connection);
        if (!whole) {
            scan(connection, epoch);
        }
        recovered();
        while (!node.isStopping()) {
            List<ShardConnection.Entry> read = connection.read(entry, MOST, node.asks() ? SHORT_WAIT : WAIT);
            if (!read.isEmpty()) {
                use(read);
            } else {
                look(connection);
            }
            take(connection);
            if (!whole) {
                scan(connection, epoch);
            }
            if (!node.settings().reconcile().isZero() && System.nanoTime() - reconcileDue >= 0) {
                scan(connection, epoch);
            }
        }
    }

    /** Sets the index to what checks have found in Redis. */
    private void take(ShardConnection connection) throws StorageException {
        Map<Digest, Found> some = new LinkedHashMap<>();
        while (some.size() < MOST_FOUND) {
            Found next = found.poll();
            if (next == null) {
                break;
            }
            some.put(next.digest(), next);
        }
        if (some.isEmpty() || !whole) {
            return;
        }
        compare(connection, List.copyOf(some.keySet()), (digest, hash) -> {
            node.countFound();
            return hash.signature() == null ? Objects.requireNonNull(some.get(digest)).shingles() : null;
        });
    }

    /**
     * Sets the index to what Redis has of some digests at one moment, after the entries of the stream before it.
     *
     * @param lacking for each digest that is stored, the shingles that the layout of Rspamd lacks; null for none
     */
    void compare(ShardConnection connection, List<Digest> digests,
            BiFunction<Digest, StoredHash, @Nullable Signature> lacking) throws StorageException {
        ShardConnection.Reading reading = connection.states(digests, node.expireSeconds());
        catchUp(connection, reading.top());
        List<RedisState> states = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            byte[] state = reading.states().get(i);
            StoredHash hash = node.layout().decode(digests.get(i), state, node.expireSeconds());
            Signature shingles = hash == null ? null : lacking.apply(digests.get(i), hash);
            if (shingles != null) {
                state = RspamdLayout.withShingles(state, node.layout().encode(shingles));
            }
            states.add(new RedisState(digests.get(i), "", 0, state, shingles != null));
        }
        apply(states);
    }

    private void look(ShardConnection connection) throws StorageException {
        if (System.nanoTime() - lookDue < 0) {
            return;
        }
        lookDue = System.nanoTime() + LOOK.toNanos();
        if (!connection.isMaster()) {
            throw new StorageException("the server is no longer the master");
        }
        verify(connection);
    }

    /** Finds out whether Redis still has the last entry that was used. */
    private void verify(ShardConnection connection) throws StorageException {
        if (!whole || entry == 0) {
            return;
        }
        if (!connection.mark(entry).equals(mark)) {
            long top = connection.states(List.of(), 0).top();
            LOG.warn("shard {}: the shared Redis no longer has the change {}, its last one is {}: "
                    + "{}", shard, entry, top,
                    top < entry
                            ? "it has lost its last changes; the nodes send theirs again"
                            : "this node was away for too long, or the shared Redis has lost changes; comparing "
                                    + "everything");
            whole = false;
        }
    }

    private void scan(ShardConnection connection, String epoch) throws StorageException {
        boolean first = !whole;
        new ShardScan(node, this, shard, connection).run(first);
        whole = true;
        reconcileDue = System.nanoTime() + node.settings().reconcile().toNanos();
        if (first) {
            node.countRejoined();
            node.reached(shard, epoch, entry, mark);
        }
    }

    /** Uses the entries of the stream up to one. */
    void catchUp(ShardConnection connection, long top) throws StorageException {
        while (entry < top && !node.isStopping()) {
            List<ShardConnection.Entry> read = connection.range(entry, top, MOST);
            if (read.isEmpty() || !use(read)) {
                whole = false;
                throw new StorageException("the stream lost changes during a comparison");
            }
        }
    }

    /** Begins from an entry without using those before it. */
    void jump(long top, String how) {
        entry = top;
        mark = how;
    }

    /** Returns whether the entries follow the last one. */
    private boolean use(List<ShardConnection.Entry> read) throws StorageException {
        List<RedisState> states = new ArrayList<>();
        long last = entry;
        String lastMark = mark;
        for (ShardConnection.Entry one : read) {
            if (one.before() != last || !one.previous().equals(lastMark)) {
                LOG.warn(
                        "shard {}: the change {} does not follow {}, the last one of this node, which was away for too "
                                + "long, or the shared Redis has lost changes: comparing everything",
                        shard, one.before() + 1, last);
                whole = false;
                return false;
            }
            last = one.number();
            lastMark = one.mark();
            states.addAll(one.states());
        }
        apply(states);
        entry = last;
        mark = lastMark;
        if (whole) {
            node.reached(shard, entry, mark);
        }
        return true;
    }

    /** Sets the index to states that are in the order of Redis. */
    void apply(List<RedisState> states) throws StorageException {
        await(node.sink().change(index -> updates(index, states)));
    }

    /** On the thread of the writer. */
    private List<Update> updates(HashIndex index, List<RedisState> states) {
        PendingUpdates pending = node.pending();
        Map<Digest, RedisState> last = new LinkedHashMap<>();
        for (RedisState state : states) {
            if (state.node().equals(node.name())) {
                pending.arrived(state.digest(), state.revision());
            }
            last.put(state.digest(), state);
        }
        List<Update> updates = new ArrayList<>();
        for (RedisState state : last.values()) {
            if (!pending.isUnknown(state.digest())) {
                StoredHash wanted = pending.over(state.digest(),
                        node.layout().decode(state.digest(), state.state(), node.expireSeconds()));
                HashIndex.KnownHash known = index.known(state.digest(), lookup);
                updates.addAll(StateChange.of(state.digest(), known, wanted,
                        state.isOnlyRead() ? node.layout().slackSeconds() : 0,
                        known != null && wanted != null && hasOtherSignature(index, state, known, wanted)));
            }
        }
        node.count(updates.size());
        node.applied(shard, index.revision());
        return updates;
    }

    private boolean hasOtherSignature(HashIndex index, RedisState state, HashIndex.KnownHash known,
            StoredHash wanted) {
        Signature signature = wanted.signature();
        boolean sure = signature == null ? node.layout().keepsSignatures() : !state.gathered();
        // What the shared state makes of a signature of this node comes with a later state.
        return sure && !node.pending().isSigned(state.digest())
                && StateChange.hasOtherSignature(index, state.digest(), known, signature, lookup);
    }

    /** Waits for the writer. */
    void await(CompletableFuture<Void> change) throws StorageException {
        while (true) {
            try {
                change.get(1, TimeUnit.SECONDS);
                return;
            } catch (java.util.concurrent.TimeoutException e) {
                if (node.isStopping()) {
                    throw new StorageException("the node stops", e);
                }
            } catch (ExecutionException e) {
                throw new StorageException("this node cannot use what the others did: " + reason(e.getCause()), e);
            } catch (InterruptedException e) {
                throw new StorageException("interrupted", e);
            }
        }
    }

    private static String reason(@Nullable Throwable cause) {
        return cause == null ? "unknown" : String.valueOf(cause.getMessage());
    }
}
