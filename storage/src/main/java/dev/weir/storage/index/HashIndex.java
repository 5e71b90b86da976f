package dev.weir.storage.index;

import java.io.IOException;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the storage knows, in memory: finds a digest exactly, or the most similar signature.
 *
 * <p><b>The idea.</b> Let the 32 slots be 16 pairs. Two signatures that agree in more than 16 slots differ in at most 15,
 * which lie in at most 15 pairs: so they agree in both slots of at least one pair. Each pair has its lists, from the two
 * values to the ids of the hashes that have them there. A lookup collects the ids from 16 short lists and compares the
 * whole kept signature of each, which gives the exact count. The best count above 16 wins; on a tie the higher value,
 * then the older one, then the smaller digest, so that the answer never depends on the order in which hashes were loaded.
 * A value that many texts share, such as that of a common footer, makes no list long unless its neighbour is shared too.
 *
 * <p><b>The bound.</b> A list holds at most {@value ListTable#MAX_POSTINGS} ids, so that a family of a million near
 * duplicates cannot make every check walk through all of them. One more than that takes a pseudo-random place of the
 * list, another one in each of the 16, so that of a large family a mixed sample of up to 16 ×
 * {@value ListTable#MAX_POSTINGS} stays findable; beyond the bound a lookup finds a very similar hash rather than
 * certainly the most similar. {@link #crowded} counts such displacements. A hash that has not been met when c lists are
 * still to come, and f of the others were full, can agree in at most c + f + 16 slots: so the lists are looked at until
 * none that is to come can win any more.
 *
 * <p><b>Attackers</b> who may write choose digests and shingles, so everything is hashed by {@link Fingerprints} under a
 * key that nobody knows. A slot is kept as a fingerprint of 32 bits: once in 2³² pairs of different values they count as
 * equal.
 *
 * <p><b>Concurrency.</b> One writer at a time (the caller sees to that), any number of readers. A reader takes an
 * optimistic stamp, reads, and asks whether something was written meanwhile; then it tries again, and after
 * {@value #OPTIMISTIC_ATTEMPTS} times takes the read lock, and the writer lets it pass. What it reads in between may be
 * inconsistent but never leads out of the memory or into an endless loop. The writer holds the lock for one update, or for a
 * few steps of growing, and takes memory before it.
 *
 * <p><b>Memory</b>, outside the heap ({@link OffHeap}): 64 bytes of digest, 12 of votes ({@link Rows}), 5 in the table of
 * digests; with a signature 128 more for it and 84 to 95 in the lists. Growing is part of each update ({@link ListTable}).
 * What is deleted leaves room for others and does not go back to the system.
 */
public final class HashIndex {
    /** A near duplicate agrees in more slots than this. */
    public static final int THRESHOLD = Fingerprints.PAIRS;

    private static final int OPTIMISTIC_ATTEMPTS = 8;

    /** How often a reader looks whether the writer, who needs a few microseconds, is done before it gives up its processor. */
    private static final int LOOKS = 512;

    /** How often the writer gives up its processor for readers that wait for the lock: they are woken in less. */
    private static final int COURTESIES = 1_000;

    private final StampedLock lock = new StampedLock();

    /** Readers that wait for the lock. A writer that takes it again and again would not let them in for long. */
    private final AtomicInteger waiting = new AtomicInteger();
    private final KeyedHash keyed;
    private final Stock stock;
    private final Search search;
    private volatile long size;
    private volatile long crowded;

    /** The writer's own. */
    private final Lookup own = new Lookup();

    /** Writes for which there is room. Only for the writer. */
    private int promised;

    /** An empty index. */
    public HashIndex(KeyedHash keyed) {
        this(keyed, 0, 0);
    }

    /**
     * An empty index with room.
     *
     * @param digests how many are expected; a hint
     * @param signatures how many of them come with a signature; a hint
     * @throws IndexFullException if the system has no memory for them
     */
    public HashIndex(KeyedHash keyed, long digests, long signatures) {
        this(keyed, digests, signatures, 0);
    }

    /** An index whose bounds are so many powers of two lower: for tests of what happens at them. */
    HashIndex(KeyedHash keyed, long digests, long signatures, int smaller) {
        this.keyed = keyed;
        this.stock = new Stock(keyed, digests, signatures, smaller);
        this.search = new Search(stock);
    }

    /** Number of digests; exact at once after each update. */
    public long size() {
        return size;
    }

    /** How often an id was displaced from a full posting list. */
    public long crowded() {
        return crowded;
    }

    // ---- snapshots ----

    /** Bytes that {@link #save} writes, but for some numbers. */
    long bytes() {
        return stock.bytes();
    }

    /** Writes everything; nothing may change meanwhile. */
    void save(SnapshotWriter out) throws IOException {
        try {
            out.number(keyed.k0());
            out.number(keyed.k1());
            stock.save(out);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** An index as it was saved. */
    static HashIndex restore(SnapshotReader in) throws IOException {
        HashIndex index = new HashIndex(new KeyedHash(in.number(), in.number()));
        try {
            index.stock.restore(in);
            index.size = index.stock.size();
            index.crowded = index.stock.displaced();
        } finally {
            Reference.reachabilityFence(index);
        }
        return index;
    }

    // ---- reading ----

    /**
     * Looks a digest up, and if it is not there and the lookup has shingles, the most similar signature.
     *
     * @param oldest flags that changed and were renewed before this second since the epoch are treated as if they were
     *            not there
     * @return whether {@link Lookup#match} holds an answer
     */
    public boolean find(Lookup lookup, long oldest) {
        try {
            lookup.hasHashes = false;
            stock.hashDigest(lookup);
            for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
                long stamp = lock.tryOptimisticRead();
                for (int i = 0; stamp == 0 && i < LOOKS; i++) {
                    Thread.onSpinWait();
                    stamp = lock.tryOptimisticRead();
                }
                if (stamp == 0) {
                    giveWay();
                    continue;
                }
                boolean hit = search.run(lookup, oldest);
                if (lock.validate(stamp)) {
                    lookup.learn(hit);
                    return hit;
                }
            }
            return findLocked(lookup, oldest);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Lets others have the processor who wait for it. Saves time where they do; nothing depends on it. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void giveWay() {
        Thread.yield();
    }

    private long lockForReading() {
        waiting.incrementAndGet();
        try {
            long stamp = lock.tryReadLock();
            for (int i = 0; stamp == 0 && i < LOOKS; i++) {
                Thread.onSpinWait();
                stamp = lock.tryReadLock();
            }
            return stamp == 0 ? lock.readLock() : stamp;
        } finally {
            waiting.decrementAndGet();
        }
    }

    private boolean findLocked(Lookup lookup, long oldest) {
        long stamp = lockForReading();
        try {
            boolean hit = search.run(lookup, oldest);
            lookup.learn(hit);
            return hit;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    // ---- writing ----

    /**
     * Makes sure that so many {@link Update.Write} find room, which {@link #apply} then takes. To be asked before anybody is
     * promised anything. Other updates need no room.
     *
     * @throws IndexFullException if there is no room for so many; no hash has changed then
     */
    public void makeRoom(int writes) {
        try {
            do {
                stock.prepare(writes);
                if (stock.isGrowing(writes)) {
                    change(() -> stock.grow(writes));
                }
            } while (!stock.hasRoom(writes));
            promised = writes;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Makes one change visible.
     *
     * @throws IndexFullException if no room was made for it and there is none; no hash has changed then
     */
    public void apply(Update update) {
        try {
            if (update instanceof Update.Write) {
                take();
            }
            int number = look(update.digest(), update instanceof Update.Write write ? write.signature() : null);
            switch (update) {
                case Update.Write write -> write(number, write);
                case Update.Delete delete -> delete(number, delete.flag(), Long.MAX_VALUE);
                case Update.DeleteAll _ -> deleteAll(number);
                case Update.Refresh refresh -> refresh(number, refresh.time());
                case Update.Expire expire -> delete(number, expire.flag(), expire.before());
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Looks for expired flags among a portion of the hashes. For the writer.
     *
     * @param from where the portion begins; 0 at first
     * @param portion how many places to look at
     * @param before flags that nothing changed or renewed from this second since the epoch on are expired
     * @param target receives an update for each of them
     * @return where the next portion begins; 0 when this was the last one
     */
    public int collectExpired(int from, int portion, long before, List<Update.Expire> target) {
        try {
            int bound = stock.bound();
            int end = (int) Math.min(bound, (long) from + portion);
            for (int number = Math.max(from, Stock.FIRST); number < end; number++) {
                Rows rows = stock.rows(number);
                if (Stock.row(number) < rows.bound()) {
                    rows.collectExpired(Stock.row(number), before, target);
                }
            }
            return end >= bound ? 0 : end;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Looks for expired flags of one hash. For the writer.
     *
     * @param before as in {@link #collectExpired(int, int, long, List)}
     */
    public void collectExpired(Digest digest, long before, List<Update.Expire> target) {
        try {
            int number = look(digest, null);
            if (number != Stock.NONE) {
                stock.rows(number).collectExpired(Stock.row(number), before, target);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Takes over a hash from a backend; one that is there already is left as it is, and so are flags beyond
     * {@link StoredHash#bounded}.
     *
     * @throws IndexFullException if there is no room for it; no hash has changed then
     */
    public void load(StoredHash hash) {
        try {
            take();
            if (look(hash.digest(), hash.signature()) == Stock.NONE) {
                StoredHash bounded = hash.bounded();
                change(() -> stock.add(own, bounded.flags(), bounded.renewed()));
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Uses some of the room that was made, or makes some, and goes on with growing that is under way. */
    private void take() {
        if (promised == 0) {
            makeRoom(1);
        } else if (stock.isGrowing(promised)) {
            growIfPossible();
        }
        promised--;
    }

    /** Growing can wait for memory: there is room for what was promised, and lists that are longer than they should be. */
    private void growIfPossible() {
        try {
            stock.prepare(promised);
        } catch (IndexFullException e) {
            return;
        }
        change(() -> stock.grow(promised));
    }

    /** Brings everything near that an update may need, and gives the number of its hash. */
    private int look(Digest digest, @Nullable Signature signature) {
        digest.copyTo(own.digest, 0);
        stock.hash(own, signature);
        stock.locateDigest(own);
        own.touchDigest();
        if (signature != null) {
            stock.locatePairs(own);
            own.touchPairs();
            stock.touchChains(own);
        }
        return stock.numberOf(own);
    }

    private void write(int number, Update.Write write) {
        FlagValue vote = new FlagValue(write.flag(), write.weight(), write.time());
        if (number == Stock.NONE) {
            change(() -> stock.add(own, List.of(vote), 0));
            return;
        }
        Rows rows = stock.rows(number);
        int row = Stock.row(number);
        FlagValue now = rows.flag(row, write.flag());
        boolean signs = write.signature() != null
                && !(Stock.isSimilar(number) && stock.signatures().isWhole(row));
        change(() -> {
            rows.setFlag(row, now == null ? vote : now.plus(write.weight(), write.time()));
            if (signs) {
                stock.sign(number, own);
            }
        });
    }

    private void refresh(int number, long time) {
        if (number != Stock.NONE) {
            change(() -> stock.rows(number).renew(Stock.row(number), time));
        }
    }

    private void delete(int number, int flag, long before) {
        if (number == Stock.NONE) {
            return;
        }
        Rows rows = stock.rows(number);
        int row = Stock.row(number);
        FlagValue now = rows.flag(row, flag);
        if (now == null || Math.max(now.time(), rows.renewed(row)) >= before) {
            return;
        }
        change(() -> {
            if (!rows.removeFlag(row, flag)) {
                stock.remove(number, own);
            }
        });
    }

    private void deleteAll(int number) {
        if (number != Stock.NONE) {
            change(() -> stock.remove(number, own));
        }
    }

    /** Does something that readers must see wholly or not at all. */
    private void change(Runnable change) {
        for (int i = 0; waiting.get() > 0 && i < COURTESIES; i++) {
            giveWay();
        }
        long stamp = lock.writeLock();
        try {
            change.run();
        } finally {
            lock.unlockWrite(stamp);
        }
        size = stock.size();
        crowded = stock.displaced();
    }
}
