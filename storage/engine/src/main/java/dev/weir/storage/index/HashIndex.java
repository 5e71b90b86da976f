package dev.weir.storage.index;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory index of all stored hashes. It finds a digest exactly, or else the most similar signature.
 *
 * <p><b>The idea.</b> The 32 slots form 16 pairs. Two signatures that agree in more than 16 slots differ in at most 15,
 * so they agree in both slots of at least one pair. For each pair and each two values there is a posting list with the
 * ids of the hashes that have these values. A lookup collects the ids of 16 short posting lists and compares each whole
 * signature, which gives the exact count. The best count above 16 wins. On a tie, the higher value wins, then the older
 * one, then the smaller digest, so the answer never depends on the order in which hashes were loaded. A value that many
 * texts share, such as that of a common footer, makes no posting list long unless its neighbor is shared too.
 *
 * <p><b>The bound.</b> A posting list holds at most {@value PostingTable#MAX_POSTINGS} ids, so a family of a million
 * near duplicates cannot make every check read all of them. A further id replaces a pseudo-random id of the list. The
 * choice differs in each of the 16 lists, so a mixed sample of up to 16 × {@value PostingTable#MAX_POSTINGS} of a large
 * family stays findable. Beyond the bound, a lookup may find a very similar hash instead of the most similar one.
 * {@link #crowded} counts the replaced ids. Suppose that c lists are unread and f of the others were full. A hash that
 * was not met yet can then agree in at most c + f + 16 slots. The lookup stops when no such hash can win.
 *
 * <p><b>Attackers</b> who may write choose digests and shingles. {@link Fingerprints} therefore hashes everything under
 * a secret key. A slot is stored as a fingerprint of 32 bits: two different values count as equal once in 2³² pairs.
 *
 * <p><b>Concurrency.</b> One writer at a time (the caller ensures that), any number of readers. A reader takes an
 * optimistic stamp, reads, and validates the stamp. If the writer changed something, the reader tries again. After
 * {@value #OPTIMISTIC_ATTEMPTS} attempts it takes the read lock, and the writer lets it pass. A reader may see
 * inconsistent data, but never leaves the memory and never loops forever. The writer holds the lock for one update, or
 * for a few steps of growing, and takes memory before it locks.
 *
 * <p><b>Memory</b> is outside the heap ({@link OffHeapArena}); the package description gives the size of each part.
 * Each update does a part of the growing ({@link PostingTable}). Deleted hashes leave room for others, but their memory
 * does not return to the system.
 */
public final class HashIndex {
    /** A near duplicate agrees in more slots than this. */
    public static final int THRESHOLD = Fingerprints.PAIRS;

    private static final int OPTIMISTIC_ATTEMPTS = 8;

    /** How often a reader spins for the writer, which needs a few microseconds, before it yields its processor. */
    private static final int SPINS = 512;

    /** Records that a search visits under one lock: some 20 microseconds. */
    private static final int SEARCHED = 4_096;

    /** How often the writer yields to readers that wait for the lock; they wake up sooner than that. */
    private static final int WRITER_YIELDS = 1_000;

    private final StampedLock lock = new StampedLock();

    /** Readers that wait for the lock. Without this count, a writer that locks again and again would starve them. */
    private final AtomicInteger waiting = new AtomicInteger();
    private final IndexTables tables;
    private final IndexSearch search;
    private volatile long size;
    private volatile long crowded;

    /** Number of the last update. It changes together with what the update changes. */
    private volatile long revision;

    private volatile boolean incomplete;

    /** What a checkpoint has already, while the updates behind it are applied again. Only for the writer. */
    private @Nullable CopiedRevisions copied;

    /** The lookup of the writer. */
    private final Lookup own = new Lookup();

    /** Writes that {@link #makeRoom} has room for. Only for the writer. */
    private int promised;

    /** Creates an empty index. */
    public HashIndex(KeyedHash keyed) {
        this(keyed, 0, 0);
    }

    /**
     * Creates an empty index with room.
     *
     * @param digests expected number of digests; a hint
     * @param signatures how many of them have a signature; a hint
     * @throws IndexFullException if the system has no memory for them
     */
    public HashIndex(KeyedHash keyed, long digests, long signatures) {
        this(keyed, digests, signatures, 0);
    }

    /** Creates an index whose bounds are {@code smaller} powers of two lower, for tests of the bounds. */
    HashIndex(KeyedHash keyed, long digests, long signatures, int smaller) {
        this.tables = new IndexTables(keyed, digests, signatures, smaller);
        this.search = new IndexSearch(tables);
    }

    /** Returns the number of digests, which is exact after each update. */
    public long size() {
        return size;
    }

    /** Returns the memory of the index in bytes. It comes in pieces of 2 MiB and is never given back. */
    public long bytes() {
        return tables.bytes();
    }

    /** Returns how many ids were replaced in full posting lists. */
    public long crowded() {
        return crowded;
    }

    /**
     * Returns the number of the last update. Every {@link #apply} counts one, so that it is the revision of the log if
     * the index began with that of a checkpoint; without a store it counts from 0.
     */
    public long revision() {
        return revision;
    }

    /**
     * Returns whether the index lacks updates for good: one failed half-way, or the writer died. Its content may then
     * be that of no revision, so nothing of it may be kept.
     */
    public boolean isIncomplete() {
        return incomplete;
    }

    /** Makes {@link #isIncomplete} return true from now on. */
    public void markIncomplete() {
        incomplete = true;
    }

    /** Returns how many record ids are free and may be used. */
    public long freeIds() {
        return (long) tables.records(false).freeIds() + tables.records(true).freeIds();
    }

    // ---- checkpoints ----

    /**
     * The beginning of a checkpoint.
     *
     * @param revision the last update that it surely has
     * @param plainBound above all ids of hashes without a signature
     * @param signedBound above all ids of hashes with a signature
     */
    public record Cut(long revision, int plainBound, int signedBound) {
        /** Returns the same cut with another bound of the ids of hashes with a signature. */
        public Cut withSignedBound(int bound) {
            return new Cut(revision, plainBound, bound);
        }
    }

    /**
     * Begins to keep removed ids away from new hashes, and to report each hash that gets an id to a sink. Call this
     * before the first update.
     */
    public void persist(SlotSink sink) {
        tables.persist(sink);
    }

    /**
     * Begins a checkpoint. Any one thread may call it, and must call {@link #endImage} after it copied all pages. In
     * between, new records get ids above those of all others: a hash that moves to another id must not move to a page
     * that is copied already.
     */
    public Cut cut() {
        long stamp = lock.writeLock();
        try {
            RecordTable plain = tables.records(false);
            RecordTable signed = tables.records(true);
            plain.cut();
            signed.cut();
            return new Cut(revision, plain.bound(), signed.bound());
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Ends the copying of pages. */
    public void endImage() {
        long stamp = lock.writeLock();
        try {
            tables.records(false).endImage();
            tables.records(true).endImage();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Returns an id above the ids of all hashes with or without a signature. Any thread may ask. */
    public int bound(boolean signed) {
        long stamp = lockForReading();
        try {
            return tables.records(signed).bound();
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /**
     * Copies what the slots of some records do not have, for a checkpoint: votes, flags, times and side hashes. The
     * copy is consistent.
     *
     * @param first the first id
     * @param count records from there on, all of them below the {@link #bound}
     * @param target receives up to {@link #pageBytes} bytes, in little endian
     * @return the number of the last update that is in the copy
     */
    public long copyPage(boolean signed, int first, int count, ByteBuffer target) {
        int start = target.position();
        try {
            for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
                long stamp = lock.tryOptimisticRead();
                if (stamp == 0) {
                    giveWay();
                    continue;
                }
                long last = revision;
                tables.copyPage(signed, first, count, target.position(start));
                if (lock.validate(stamp)) {
                    return last;
                }
            }
            long stamp = lockForReading();
            try {
                tables.copyPage(signed, first, count, target.position(start));
                return revision;
            } finally {
                lock.unlockRead(stamp);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the most bytes of a copied page. */
    public static int pageBytes(int count) {
        return RecordTable.pageBytes(count) + count * SignatureTable.COPIED_BYTES;
    }

    /** Frees the ids that were removed before the last cut, because its checkpoint is on disk. */
    public void release() {
        long stamp = lock.writeLock();
        try {
            tables.records(false).release();
            tables.records(true).release();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    IndexTables tables() {
        return tables;
    }

    /** Continues from a loaded checkpoint: updates that it has are not applied again. */
    void loaded(CopiedRevisions checkpoint, long last) {
        copied = checkpoint;
        revision = last;
        size = tables.size();
        crowded = tables.displaced();
    }

    /**
     * Ends a recovery, after the updates behind the checkpoint were applied again. From now on, ids that the checkpoint
     * does not name are free.
     */
    public void recovered() {
        copied = null;
        endImage();
        release();
    }

    // ---- reading ----

    /**
     * Looks up a digest. If it is missing and the lookup has shingles, looks up the most similar signature.
     *
     * @param oldestSeconds seconds since 1970; flags that last changed before it are ignored as expired, unless their
     *            hash was renewed since
     * @return whether {@link Lookup#match} holds an answer
     */
    public boolean find(Lookup lookup, long oldestSeconds) {
        lookup.hasHashes = false;
        return search(lookup, oldestSeconds, false);
    }

    /**
     * Looks up the signature again among the hashes that protect a template: those with one of the flags
     * {@link Lookup#addProtector}, with side hashes, and with the domains {@link Lookup#domains}. Call this after
     * {@link #find} found the lookup.
     *
     * @return whether there is one; {@link Lookup#match} is the most similar one then
     */
    public boolean findProtected(Lookup lookup, long oldestSeconds) {
        lookup.hasHashes = false;
        return lookup.hasShingles && lookup.protecting > 0 && search(lookup, oldestSeconds, true);
    }

    private boolean search(Lookup lookup, long oldestSeconds, boolean onlyProtectors) {
        try {
            tables.hashDigest(lookup);
            for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
                long stamp = lock.tryOptimisticRead();
                for (int i = 0; stamp == 0 && i < SPINS; i++) {
                    Thread.onSpinWait();
                    stamp = lock.tryOptimisticRead();
                }
                if (stamp == 0) {
                    giveWay();
                    continue;
                }
                boolean hit = run(lookup, oldestSeconds, onlyProtectors);
                if (lock.validate(stamp)) {
                    if (!onlyProtectors) {
                        lookup.learn(hit);
                    }
                    return hit;
                }
            }
            return findLocked(lookup, oldestSeconds, onlyProtectors);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private boolean run(Lookup lookup, long oldestSeconds, boolean onlyProtectors) {
        return onlyProtectors ? search.findProtected(lookup, oldestSeconds) : search.find(lookup, oldestSeconds);
    }

    /**
     * What the index knows of a hash.
     *
     * @param id the id of its record among those with, or without, a signature
     * @param flags all flags, also expired ones, the primary one first
     * @param renewed when a strong match last renewed the hash, in seconds since the epoch, or 0
     * @param signed whether it has a signature
     * @param slots the known slots of the signature: bit i for slot i
     * @param sides the side hashes of the signature, or null
     */
    public record KnownHash(int id, List<FlagValue> flags, long renewed, boolean signed, int slots,
            @Nullable HtmlSides sides) {}

    /** Returns what is known of the hash with a digest, or null. Any thread may ask. */
    public @Nullable KnownHash known(Digest digest, Lookup lookup) {
        digest.copyTo(lookup.digest, 0);
        tables.hash(lookup, null);
        long stamp = lockForReading();
        try {
            tables.locateDigest(lookup);
            int number = tables.numberOf(lookup);
            if (number == IndexTables.NONE) {
                return null;
            }
            int recordId = IndexTables.recordId(number);
            RecordTable records = tables.records(number);
            boolean signed = IndexTables.isSimilar(number);
            return new KnownHash(recordId, List.copyOf(records.flags(recordId)), records.renewed(recordId), signed,
                    signed ? tables.signatures().slots(recordId) : 0,
                    signed ? tables.signatures().sides(recordId) : null);
        } finally {
            lock.unlockRead(stamp);
            Reference.reachabilityFence(this);
        }
    }

    /** Returns the signature of the hash with a digest; null without one. Any thread may ask. */
    public @Nullable StoredSignature signature(Digest digest) {
        return signature(digest, new Lookup());
    }

    /**
     * Returns the signature of the hash with a digest; null without one.
     *
     * @param lookup of the calling thread; a new one takes some hundred kilobytes
     */
    public @Nullable StoredSignature signature(Digest digest, Lookup lookup) {
        digest.copyTo(lookup.digest, 0);
        tables.hash(lookup, null);
        long stamp = lockForReading();
        try {
            tables.locateDigest(lookup);
            int number = tables.numberOf(lookup);
            if (number == IndexTables.NONE || !IndexTables.isSimilar(number)) {
                return null;
            }
            tables.signatures().get(IndexTables.recordId(number), lookup.fingerprints);
            return new StoredSignature(lookup.fingerprints);
        } finally {
            lock.unlockRead(stamp);
            Reference.reachabilityFence(this);
        }
    }

    /** Returns what the index would keep of a signature, for comparisons with stored ones. */
    public StoredSignature signature(Signature signature) {
        return signature(signature, new Lookup());
    }

    /**
     * Returns what the index would keep of a signature, for comparisons with stored ones.
     *
     * @param lookup of the calling thread
     */
    public StoredSignature signature(Signature signature, Lookup lookup) {
        tables.hash(lookup, signature);
        return new StoredSignature(lookup.fingerprints);
    }

    /**
     * Returns the digests that begin with some hexadecimal digits. Visits all hashes, in portions between which updates
     * proceed. Any thread may ask.
     *
     * @param prefix 1 to 128 lower-case hexadecimal digits
     * @param most the most digests to return
     */
    public List<Digest> withPrefix(String prefix, int most) {
        int digits = Math.min(prefix.length(), 2 * Long.BYTES);
        long wanted = Long.reverseBytes(HexFormat.fromHexDigitsToLong(
                prefix.substring(0, digits) + "0".repeat(2 * Long.BYTES - digits)));
        long mask = Long.reverseBytes(-1L << (4 * (2 * Long.BYTES - digits)));
        List<Digest> found = new ArrayList<>();
        for (boolean signed : List.of(true, false)) {
            int bound = bound(signed);
            for (int first = RecordTable.NONE + 1; first < bound && found.size() < most; first += SEARCHED) {
                search(signed, first, Math.min(bound, first + SEARCHED), mask, wanted, found);
            }
        }
        return found.stream().filter(digest -> digest.hex().startsWith(prefix)).limit(most).toList();
    }

    private void search(boolean signed, int first, int end, long mask, long wanted, List<Digest> found) {
        long[] words = new long[Digest.WORDS];
        long stamp = lockForReading();
        try {
            RecordTable records = tables.records(signed);
            for (int id = first; id < Math.min(end, records.bound()); id++) {
                if ((records.firstWord(id) & mask) == wanted && !records.isFree(id)) {
                    records.copyDigest(id, words);
                    found.add(Digest.ofWords(words, 0));
                }
            }
        } finally {
            lock.unlockRead(stamp);
            Reference.reachabilityFence(this);
        }
    }

    /** Yields the processor. This saves time when other threads wait for it; correctness does not depend on it. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void giveWay() {
        Thread.yield();
    }

    private long lockForReading() {
        waiting.incrementAndGet();
        try {
            long stamp = lock.tryReadLock();
            for (int i = 0; stamp == 0 && i < SPINS; i++) {
                Thread.onSpinWait();
                stamp = lock.tryReadLock();
            }
            return stamp == 0 ? lock.readLock() : stamp;
        } finally {
            waiting.decrementAndGet();
        }
    }

    private boolean findLocked(Lookup lookup, long oldestSeconds, boolean onlyProtectors) {
        long stamp = lockForReading();
        try {
            boolean hit = run(lookup, oldestSeconds, onlyProtectors);
            if (!onlyProtectors) {
                lookup.learn(hit);
            }
            return hit;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    // ---- writing ----

    /**
     * Reserves room for {@code writes} {@link Update.Write}s, which {@link #apply} then uses. Call this before you
     * confirm an update. Other updates need no room.
     *
     * @throws IndexFullException if there is no room for so many; no hash has changed then
     */
    public void makeRoom(int writes) {
        try {
            tables.sink().reserve(writes);
            do {
                tables.prepare(writes);
                if (tables.isGrowing(writes)) {
                    change(() -> tables.grow(writes));
                }
            } while (!tables.hasRoom(writes));
            promised = writes;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Makes one update visible.
     *
     * @throws IndexFullException if no room was reserved for it and none is left; no hash has changed then
     */
    public void apply(Update update) {
        try {
            if (update instanceof Update.Write) {
                take();
            }
            int number = look(update.digest(), update instanceof Update.Write write ? write.signature() : null);
            long next = revision + 1;
            if (copied == null || !copied.has(number, next)) {
                switch (update) {
                    case Update.Write write -> write(number, write, next);
                    case Update.Delete delete -> delete(number, delete.flag(), Long.MAX_VALUE, next);
                    case Update.DeleteAll _ -> deleteAll(number, next);
                    case Update.Refresh refresh -> refresh(number, refresh.time(), next);
                    case Update.Expire expire -> delete(number, expire.flag(), expire.before(), next);
                }
            }
            // Also when nothing changed.
            revision = next;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Collects the expired flags of a portion of the hashes. For the writer.
     *
     * @param from where the portion begins; 0 at first
     * @param portion how many hash numbers to visit
     * @param before seconds since the epoch; flags that last changed and were renewed before are expired
     * @param target receives an update for each expired flag
     * @return where the next portion begins; 0 after the last one
     */
    public int collectExpired(int from, int portion, long before, List<Update.Expire> target) {
        try {
            int bound = tables.bound();
            int end = (int) Math.min(bound, (long) from + portion);
            for (int number = Math.max(from, IndexTables.FIRST); number < end; number++) {
                RecordTable records = tables.records(number);
                if (IndexTables.recordId(number) < records.bound()) {
                    records.collectExpired(IndexTables.recordId(number), before, target);
                }
            }
            return end >= bound ? 0 : end;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Collects the expired flags of one hash. For the writer.
     *
     * @param before as in {@link #collectExpired(int, int, long, List)}
     */
    public void collectExpired(Digest digest, long before, List<Update.Expire> target) {
        try {
            int number = look(digest, null);
            if (number != IndexTables.NONE) {
                tables.records(number).collectExpired(IndexTables.recordId(number), before, target);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Returns the time of the last change or renewal of any hash, without times after a limit. Visits all hashes. For
     * the writer.
     *
     * @param limit seconds since the epoch
     * @return seconds since the epoch; 0 if there is no such time
     */
    public long lastTime(long limit) {
        try {
            long last = 0;
            int bound = tables.bound();
            for (int number = IndexTables.FIRST; number < bound; number++) {
                RecordTable records = tables.records(number);
                if (IndexTables.recordId(number) < records.bound()) {
                    last = Math.max(last, records.lastTime(IndexTables.recordId(number), limit));
                }
            }
            return last;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Loads a hash from a backend. Leaves a hash that is already there unchanged, and skips flags beyond
     * {@link StoredHash#bounded}.
     *
     * @throws IndexFullException if there is no room for it; no hash has changed then
     */
    public void load(StoredHash hash) {
        try {
            take();
            if (look(hash.digest(), hash.signature()) == IndexTables.NONE) {
                StoredHash bounded = hash.bounded();
                change(() -> tables.add(own, bounded.flags(), bounded.renewed(), bounded.signature(), revision));
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Uses reserved room, or reserves some, and continues growing. */
    private void take() {
        if (promised == 0) {
            makeRoom(1);
        } else if (tables.isGrowing(promised)) {
            growIfPossible();
        }
        promised--;
    }

    /**
     * Continues growing if there is memory for it. Without it, promised writes still have room, and chains get longer.
     */
    private void growIfPossible() {
        try {
            tables.prepare(promised);
        } catch (IndexFullException e) {
            return;
        }
        change(() -> tables.grow(promised));
    }

    /** Prefetches all that an update may need, and returns the number of its hash. */
    private int look(Digest digest, @Nullable Signature signature) {
        digest.copyTo(own.digest, 0);
        tables.hash(own, signature);
        tables.locateDigest(own);
        own.touchDigest();
        if (signature != null) {
            tables.locatePairs(own);
            own.touchPairs();
            tables.touchChains(own);
        }
        return tables.numberOf(own);
    }

    private void write(int number, Update.Write write, long next) {
        FlagValue vote = new FlagValue(write.flag(), write.weight(), write.time());
        Signature signature = write.signature();
        if (number == IndexTables.NONE) {
            change(next, () -> tables.add(own, List.of(vote), 0, signature, next));
            return;
        }
        RecordTable records = tables.records(number);
        int recordId = IndexTables.recordId(number);
        FlagValue now = records.flag(recordId, write.flag());
        boolean isWhole = IndexTables.isSimilar(number) && tables.signatures().isWhole(recordId);
        change(next, () -> {
            records.setFlag(recordId, now == null ? vote : now.plus(write.weight(), write.time()));
            if (signature != null && (!isWhole || signature.addsSides(tables.signatures().hasSides(recordId)))) {
                tables.sign(number, own, signature, next);
            }
        });
    }

    private void refresh(int number, long time, long next) {
        if (number != IndexTables.NONE) {
            change(next, () -> tables.records(number).renew(IndexTables.recordId(number), time));
        }
    }

    private void delete(int number, int flag, long before, long next) {
        if (number == IndexTables.NONE) {
            return;
        }
        RecordTable records = tables.records(number);
        int recordId = IndexTables.recordId(number);
        FlagValue now = records.flag(recordId, flag);
        if (now == null || Math.max(now.time(), records.renewed(recordId)) >= before) {
            return;
        }
        change(next, () -> {
            if (!records.removeFlag(recordId, flag)) {
                tables.remove(number, own);
            }
        });
    }

    private void deleteAll(int number, long next) {
        if (number != IndexTables.NONE) {
            change(next, () -> tables.remove(number, own));
        }
    }

    /** Runs the change of an update. */
    private void change(long next, Runnable change) {
        change(() -> {
            change.run();
            revision = next;
        });
    }

    /** Runs a change that readers must see completely or not at all. */
    private void change(Runnable change) {
        for (int i = 0; waiting.get() > 0 && i < WRITER_YIELDS; i++) {
            giveWay();
        }
        long stamp = lock.writeLock();
        boolean whole = false;
        try {
            change.run();
            whole = true;
        } finally {
            if (!whole) {
                // Before the unlocking, so that a checkpoint that copies half a change finds the mark afterwards.
                markIncomplete();
            }
            lock.unlockWrite(stamp);
        }
        size = tables.size();
        crowded = tables.displaced();
    }
}
