package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.redis.SharedPosition;
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

    /** A stream that always has more must not keep updates waiting that no entry brings. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /** How often a removal that waits is asked for again. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(10);
    private static final Duration RENEW = Duration.ofSeconds(10);

    /** With {@link #RENEW} and the time of a request, less than a turn lasts. */
    private static final Duration LATE = Duration.ofSeconds(15);
    private static final long TURN_MILLIS = 50;
    private static final long FIRST_PAUSE = 100;
    private static final long LONGEST_PAUSE = 2_000;

    private final SharedNode node;
    private final int shard;
    private final Lookup lookup = new Lookup();

    /** The last entry that was used, and its mark. */
    private volatile long entry;
    private String mark;

    /** The last revision of each node that the index has; while a comparison runs, what it will have afterwards. */
    private Map<String, Long> revisions;

    /** The last revisions that the index has for certain. */
    private Map<String, Long> certain;

    /** Whether this node skips a part of the stream, and has not compared everything yet. */
    private boolean beginning;

    /** Whether Redis has lost changes, and this node has not put them back yet. */
    private volatile boolean lost;

    /** How often Redis was found to have lost changes. */
    private final AtomicInteger losses = new AtomicInteger();
    private final PutBack putBack;

    /** The turns of other nodes without an end, and of this one, after which this node has put back what it holds. */
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final DeletesAgain deletes;

    /** Whether the index has everything that the shard had at some time. */
    private volatile boolean whole;

    private volatile String failure = "";
    private long lookDue = System.nanoTime();
    private long settleDue = System.nanoTime();

    /** What the last comparison would have removed. It waits for an operator. */
    private List<Digest> aside = List.of();
    private long asideDue;
    private long reconcileDue;

    /** While keys are put back from the stream: the last state of each digest in it. */
    private Map<Digest, byte[]> streamed = new LinkedHashMap<>();

    /** When this node renews its turn to put back what it holds; 0 without one. */
    private long claimedUntil;

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
        this.whole = known.isKnown();
        this.revisions = new HashMap<>(known.revisions());
        this.certain = known.revisions();
        this.answered.addAll(known.answered());
        this.lost = node.isRejoined();
        this.putBack = new PutBack(node);
        this.deletes = new DeletesAgain(node, this, shard);
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
        return whole && !lost;
    }

    /** Returns whether this node has to put back what Redis has lost before it sends updates. Any thread may ask. */
    boolean isRestoring() {
        return lost;
    }

    /** Takes note that Redis has lost changes. Any thread may call it. */
    void lost() {
        losses.incrementAndGet();
        lost = true;
    }

    /** Returns the turns after which this node has put back what it holds. Any thread may ask. */
    Set<String> answered() {
        return answered;
    }

    /** Returns the last entry that was used. Any thread may ask. */
    long entry() {
        return entry;
    }

    @Override
    public void run() {
        long pause = FIRST_PAUSE;
        while (!node.isStopping()) {
            try (ShardConnection connection = node.connect(shard, WAIT)) {
                pause = FIRST_PAUSE;
                follow(connection);
            } catch (ShardConnection.LostRedisException e) {
                // This thread joins again at once, and says what it does then.
                LOG.debug("shard {}: {}", shard, e.getMessage());
                node.pause(pause, true);
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
        failure = "stopped: " + Reason.of(e);
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
        node.awaitAdmission();
        String epoch = join(connection);
        verify(connection);
        if (whole && !lost && isComplete(connection.states(List.of()))) {
            // After a restart of Redis, the others need not wait for this node.
            connection.free(ShardConnection.TurnEnd.NONE);
        }
        if (!whole || lost) {
            scan(connection, epoch);
        }
        recovered();
        while (!node.isStopping()) {
            List<ShardConnection.Entry> read = connection.read(entry, MOST, node.asks() ? SHORT_WAIT : WAIT);
            if (lost) {
                epoch = join(connection);
            } else if (!read.isEmpty()) {
                use(read);
                if (System.nanoTime() - settleDue >= 0 && whole && !lost && node.isWaiting(shard)) {
                    settle(connection);
                }
            } else if (node.isWaiting(shard)) {
                settle(connection);
            } else {
                look(connection);
            }
            take(connection);
            if (!aside.isEmpty() && whole && !lost && System.nanoTime() - asideDue >= 0) {
                remove(connection, aside);
            }
            if (!whole || lost) {
                scan(connection, epoch);
            }
            if (!node.settings().reconcile().isZero() && System.nanoTime() - reconcileDue >= 0) {
                scan(connection, epoch);
            }
        }
    }

    private String join(ShardConnection connection) throws StorageException {
        ShardConnection.Joined joined = node.meet(shard, connection);
        if (joined.kin()) {
            LOG.warn("shard {}: the shared Redis was emptied or went back; this node puts back what it holds", shard);
            lost = true;
        }
        return joined.epoch();
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
        if (some.isEmpty() || !whole || lost) {
            return;
        }
        compare(connection, List.copyOf(some.keySet()), (digest, hash) -> {
            node.countFound();
            return hash.signature() == null ? Objects.requireNonNull(some.get(digest)).shingles() : null;
        });
    }

    /** Returns whether no other node puts back what Redis has lost, and none has begun to do so without an end. */
    private boolean isComplete(ShardConnection.Reading now) {
        if (!answered.containsAll(now.claims())) {
            LOG.warn("shard {}: a node that put back what the shared Redis had lost did not finish; this node puts "
                    + "back what it holds", shard);
            lost();
            return false;
        }
        return !now.busy();
    }

    /**
     * Sets the index to what Redis has of some digests at one moment, after the entries of the stream before it, and
     * after Redis has considered what this node holds and it lacks.
     *
     * @param lacking for each digest that is stored, the shingles that the layout of Rspamd lacks; null for none
     * @return false if Redis has only a part of its hashes, so that nothing was compared
     */
    private boolean compare(ShardConnection connection, List<Digest> digests,
            BiFunction<Digest, StoredHash, @Nullable Signature> lacking) throws StorageException {
        return compare(connection, digests, lacking, null);
    }

    /**
     * Does the same, and takes note of hashes that would lose a flag instead of changing them.
     *
     * @param removed gets these hashes; null to change them
     */
    boolean compare(ShardConnection connection, List<Digest> digests,
            BiFunction<Digest, StoredHash, @Nullable Signature> lacking, @Nullable Set<Digest> removed)
            throws StorageException {
        ShardConnection.Reading reading = connection.states(digests);
        if (!isComplete(reading)) {
            return false;
        }
        if (putBackGone(connection, digests, reading)) {
            reading = connection.states(digests);
        }
        catchUp(connection, reading.top());
        Set<Digest> open = new HashSet<>();
        Map<Digest, PendingUpdates.Held> held = putBack.held(digests, reading.of(node.name()), open);
        Map<Digest, StoredHash> offers = new LinkedHashMap<>();
        Set<Digest> certainOnes = new HashSet<>();
        Set<Digest> absent = new HashSet<>();
        for (int i = 0; i < digests.size(); i++) {
            Digest digest = digests.get(i);
            PendingUpdates.Held mine = held.get(digest);
            if (mine != null) {
                StoredHash state = node.layout().decode(digest, reading.states().get(i), node.expireSeconds());
                StoredHash offer = putBack.lacking(mine, state, lost, reading.now());
                if (offer != null) {
                    offers.put(digest, offer);
                    if (mine.certain()) {
                        certainOnes.add(digest);
                    }
                } else if (state == null) {
                    absent.add(digest);
                }
            }
        }
        open.addAll(absent);
        Set<Digest> deleted = Set.of();
        if (!offers.isEmpty()) {
            open.addAll(offers.keySet());
            ShardConnection.Considered made = putBack.offer(connection, offers, entry, certainOnes, lost);
            open.removeAll(made.considered());
            deleted = made.deleted();
            // With what Redis made of the offers.
            reading = connection.states(digests);
            catchUp(connection, reading.top());
        }
        List<RedisState> states = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            Digest digest = digests.get(i);
            byte[] state = reading.states().get(i);
            boolean vanished = state.length == 0 && held.containsKey(digest) && !deleted.contains(digest);
            if (vanished || open.contains(digest)) {
                // Nothing is dropped because Redis lacks it, and no update of this node is put on top twice.
                continue;
            }
            StoredHash hash = node.layout().decode(digest, state, node.expireSeconds());
            Signature shingles = hash == null ? null : lacking.apply(digest, hash);
            if (shingles != null) {
                state = RspamdLayout.withShingles(state, node.layout().encode(shingles));
            }
            states.add(new RedisState(digest, "", 0, state, shingles != null));
        }
        node.await(node.sink().change(index -> updates(index, states, removed)));
        return true;
    }

    /** Has the index lose what Redis no longer has after a comparison, unless so much must wait for an operator. */
    void remove(ShardConnection connection, List<Digest> removed) throws StorageException {
        asideDue = System.nanoTime() + ASK_AGAIN.toNanos();
        if ((!removed.isEmpty() || !aside.isEmpty()) && !node.mayRemove(shard, removed.size())) {
            aside = removed;
            return;
        }
        aside = List.of();
        for (int from = 0; from < removed.size(); from += MOST_FOUND) {
            keepTurn(connection);
            compare(connection, removed.subList(from, Math.min(removed.size(), from + MOST_FOUND)), (_, _) -> null);
        }
    }

    private void look(ShardConnection connection) throws StorageException {
        if (System.nanoTime() - lookDue < 0) {
            return;
        }
        lookDue = System.nanoTime() + LOOK.toNanos();
        settle(connection);
        if (!connection.isMaster()) {
            throw new StorageException("the server is no longer the master");
        }
        verify(connection);
    }

    /**
     * Finds updates of this node that Redis has and no entry of the stream brings, because another node put them back.
     */
    private void settle(ShardConnection connection) throws StorageException {
        settleDue = System.nanoTime() + SETTLE.toNanos();
        ShardConnection.Reading now = connection.states(List.of());
        if (!isComplete(now)) {
            return;
        }
        catchUp(connection, now.top());
        long[] reflected = new long[1];
        node.await(node.sink().change(index -> {
            reflected[0] = node.pending().reflected(shard, index.revision());
            return List.of();
        }));
        if (!deletes.offer(connection, reflected[0], now.of(node.name()))) {
            // Some changed meanwhile, or another node puts back what Redis has lost.
            return;
        }
        Set<Digest> overdue = new LinkedHashSet<>();
        node.await(node.sink().change(_ -> {
            overdue.addAll(node.pending().overdue(shard, now.of(node.name())));
            return List.of();
        }));
        List<Digest> all = List.copyOf(overdue);
        for (int from = 0; from < all.size(); from += MOST_FOUND) {
            compare(connection, all.subList(from, Math.min(all.size(), from + MOST_FOUND)), (_, _) -> null);
        }
    }

    /** Finds out whether Redis still has the last entry that was used. */
    private void verify(ShardConnection connection) throws StorageException {
        if (!whole || lost || entry == 0) {
            return;
        }
        if (!connection.mark(entry).equals(mark)) {
            long top = connection.states(List.of()).top();
            LOG.warn("shard {}: the shared Redis no longer has the change {}, its last one is {}: {}", shard, entry,
                    top,
                    top < entry
                            ? "it has lost its last changes; the nodes put them back"
                            : "this node was away for too long, or the shared Redis has lost changes; comparing "
                                    + "everything");
            if (top < entry) {
                lost = true;
            }
            whole = false;
        }
    }

    private void scan(ShardConnection connection, String epoch) throws StorageException {
        int before = losses.get();
        boolean first = !whole || lost;
        if (!first) {
            if (!isComplete(connection.states(List.of()))) {
                reconcileDue = System.nanoTime() + SETTLE.toNanos();
                return;
            }
            new ShardScan(node, this, shard, connection).run();
            reconcileDue = System.nanoTime() + node.settings().reconcile().toNanos();
            return;
        }
        beginning = true;
        ShardConnection.Reading now = connection.states(List.of());
        while (now.busy() && !node.isStopping()) {
            node.pause(TURN_MILLIS, true);
            now = connection.states(List.of());
        }
        if (lacks(now) || !answered.containsAll(now.claims())) {
            lost = true;
        }
        long own = node.resendFrom(shard, has(now)) - 1;
        boolean restoring = lost && node.hasHashes();
        boolean done = false;
        if (restoring) {
            if (!node.mayOffer()) {
                throw new StorageException("it has lost changes, and this node cannot put back what it holds while the "
                        + "clocks differ");
            }
            Map<String, Long> claimed = new HashMap<>(certain);
            claimed.put(node.name(), own);
            awaitTurn(connection, claimed);
            now = connection.states(List.of());
            own = node.resendFrom(shard, has(now)) - 1;
        }
        try {
            answered.addAll(now.claims());
            node.await(node.rebuild(shard, own), () -> keepTurn(connection));
            jump(now.top(), now.mark());
            revisions = new HashMap<>(now.revisions());
            putBackFromStream(connection);
            // A stream that went back and has grown again looks like one that this node was away from.
            if (!deletes.offer(connection, 0, own)) {
                throw new StorageException("the shared Redis does not take the deletes of this node yet, because other "
                        + "nodes change the same hashes or put back what it had lost");
            }
            new ShardScan(node, this, shard, connection).run();
            done = true;
        } finally {
            streamed = new LinkedHashMap<>();
            if (restoring) {
                claimedUntil = 0;
                connection.free(done ? ShardConnection.TurnEnd.DONE : ShardConnection.TurnEnd.FAILED);
            } else if (done) {
                connection.free(ShardConnection.TurnEnd.NONE);
            }
        }
        if (restoring) {
            LOG.warn("shard {}: this node has put back what the shared Redis had lost and it holds; {} hashes were "
                    + "offered since the start", shard, node.putBack());
        }
        answered.retainAll(now.claims());
        whole = true;
        lost = false;
        if (losses.get() != before) {
            // Redis lost changes meanwhile, and the comparison did not notice.
            lost = true;
        }
        beginning = false;
        certain = Map.copyOf(revisions);
        reconcileDue = System.nanoTime() + node.settings().reconcile().toNanos();
        node.countRejoined();
        node.reached(shard, epoch, entry, mark, certain, answered);
    }

    /**
     * Puts back keys that are gone and whose last state the stream has, if this node has skipped a state of them: what
     * it holds may be older then, and must not take the place of the key. Of the other keys, what it holds is the
     * newest, and the stream of a Redis that went back may be older.
     */
    private void putBackFromStream(ShardConnection connection) throws StorageException {
        if (!node.mayOffer()) {
            return;
        }
        Map<Digest, byte[]> last = new LinkedHashMap<>();
        Set<Digest> skipped = new HashSet<>();
        long at = 0;
        while (at < entry && !node.isStopping()) {
            keepTurn(connection);
            List<ShardConnection.Entry> read = connection.range(at, entry, MOST);
            if (read.isEmpty()) {
                break;
            }
            for (ShardConnection.Entry one : read) {
                boolean known = !one.offered() && one.revision() <= certain.getOrDefault(one.node(), -1L);
                for (RedisState state : one.states()) {
                    last.put(state.digest(), state.state());
                    if (!known) {
                        skipped.add(state.digest());
                    }
                }
            }
            at = read.getLast().number();
        }
        last.keySet().retainAll(skipped);
        streamed = last;
        List<Digest> all = List.copyOf(last.keySet());
        for (int from = 0; from < all.size(); from += MOST_FOUND) {
            putBackFromStream(connection, all.subList(from, Math.min(all.size(), from + MOST_FOUND)));
        }
    }

    private void putBackFromStream(ShardConnection connection, List<Digest> some) throws StorageException {
        Set<Digest> open = new LinkedHashSet<>(some);
        while (!open.isEmpty() && !node.isStopping()) {
            if (!node.mayOffer()) {
                throw new StorageException("this node cannot put back what Redis lacks while the clocks differ");
            }
            keepTurn(connection);
            open = offerFromStream(connection, List.copyOf(open));
        }
    }

    /**
     * Puts back those that are gone since the stream was read. What this node holds of them may still be older.
     *
     * @return whether there were any
     */
    private boolean putBackGone(ShardConnection connection, List<Digest> digests, ShardConnection.Reading reading)
            throws StorageException {
        List<Digest> gone = new ArrayList<>();
        for (int i = 0; i < digests.size(); i++) {
            if (reading.states().get(i).length == 0 && streamed.containsKey(digests.get(i))) {
                gone.add(digests.get(i));
            }
        }
        putBackFromStream(connection, gone);
        return !gone.isEmpty();
    }

    /** Returns those that changed meanwhile, which Redis has not considered. */
    private Set<Digest> offerFromStream(ShardConnection connection, List<Digest> some) throws StorageException {
        ShardConnection.Reading reading = connection.states(some);
        // An offer that is too far behind is not considered.
        catchUp(connection, reading.top());
        List<byte[]> there = reading.states();
        List<ShardConnection.Offered> gone = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            byte[] state = streamed.getOrDefault(some.get(i), new byte[0]);
            if (there.get(i).length == 0 && putBack.lives(some.get(i), state, reading.now())) {
                gone.add(new ShardConnection.Offered(some.get(i), state));
            }
        }
        Set<Digest> open = new LinkedHashSet<>();
        gone.forEach(one -> open.add(one.digest()));
        open.removeAll(putBack.offer(connection, gone, reading.top()));
        return open;
    }

    /**
     * Returns the last update of this node that Redis has, or will have with the states that this node puts back. These
     * are what all nodes had in one order up to some change, so that the longest of them has all of the others.
     */
    private long has(ShardConnection.Reading now) {
        long known = now.of(node.name());
        return lost ? Math.max(known, certain.getOrDefault(node.name(), -1L)) : known;
    }

    /** Returns whether Redis lacks updates that this node has seen in it. */
    private boolean lacks(ShardConnection.Reading now) {
        return now.of(node.name()) < node.position(shard).pushed()
                || certain.entrySet().stream().anyMatch(seen -> now.of(seen.getKey()) < seen.getValue());
    }

    /** Waits until no other node puts back what it holds. */
    private void awaitTurn(ShardConnection connection, Map<String, Long> claimed) throws StorageException {
        String name = SharedNode.random();
        answered.add(name);
        Optional<String> holder = connection.claim(name, node.others(), claimed);
        while (holder.isPresent()) {
            LOG.debug("shard {}: node {} puts back what it holds first", shard, holder.get());
            node.pause(TURN_MILLIS, true);
            if (node.isStopping()) {
                throw new StorageException("the node stops");
            }
            holder = connection.claim(name, node.others(), claimed);
        }
        claimedUntil = System.nanoTime() + RENEW.toNanos();
    }

    /** Keeps the turn of this node during a long comparison. */
    void keepTurn(ShardConnection connection) throws StorageException {
        long late = claimedUntil == 0 ? -1 : System.nanoTime() - claimedUntil;
        if (late < 0) {
            return;
        }
        if (late > LATE.toNanos() || connection.claim("", List.of(), Map.of()).isPresent()) {
            // The others may have sent updates that build on a part of what was lost.
            throw new StorageException("the turn of this node to put back what it holds ended too early");
        }
        claimedUntil = System.nanoTime() + RENEW.toNanos();
    }

    /** Uses the entries of the stream so far, and returns the last one. */
    long catchUp(ShardConnection connection) throws StorageException {
        long top = connection.states(List.of()).top();
        catchUp(connection, top);
        return top;
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
        Map<String, Long> seen = new HashMap<>(revisions);
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
            Long own = one.others().get(node.name());
            for (RedisState state : one.states()) {
                states.add(own == null ? state : state.with(node.name(), own));
            }
            one.states().forEach(state -> streamed.replace(state.digest(), state.state()));
            seen.merge(one.node(), one.revision(), Math::max);
            node.hearOf(one.node());
        }
        apply(states);
        revisions = seen;
        entry = last;
        mark = lastMark;
        if (!beginning) {
            // They follow what this node had, even if another thread has found a loss meanwhile.
            certain = Map.copyOf(revisions);
        }
        if (whole && !lost) {
            node.reached(shard, entry, mark, certain);
        }
        return true;
    }

    /** Sets the index to states that are in the order of Redis. */
    private void apply(List<RedisState> states) throws StorageException {
        node.await(node.sink().change(index -> updates(index, states, null)));
    }

    /** On the thread of the writer. */
    private List<Update> updates(HashIndex index, List<RedisState> states, @Nullable Set<Digest> removed) {
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
            StoredHash shared = node.layout().decode(state.digest(), state.state(), node.expireSeconds());
            pending.based(state.digest(), shared);
            if (!pending.isUnknown(state.digest())) {
                StoredHash wanted = pending.over(state.digest(), shared);
                HashIndex.KnownHash known = index.known(state.digest(), lookup);
                if (removed != null && StateChange.removes(known, wanted)) {
                    removed.add(state.digest());
                    continue;
                }
                updates.addAll(StateChange.of(state.digest(), known, wanted,
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
}
