package dev.weir.storage.index;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.StampedLock;

import dev.weir.storage.Digest;
import dev.weir.storage.FlagValue;
import dev.weir.storage.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.Update;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the storage knows, in memory: finds a digest exactly, or the most similar signature.
 *
 * <p><b>The idea.</b> Two signatures of 32 values that agree in more than 16 slots agree in at least one of any 16
 * slots: only 15 others are left to agree in. So only slots 0..15 are indexed, each with its own table from value to
 * the ids that have it there. A lookup collects the ids from 16 short lists and compares the whole kept signature of
 * each, which gives the exact count. The best count above 16 wins; on a tie the higher value, then the older one, then
 * the smaller digest, so that the answer never depends on the order in which hashes were loaded.
 *
 * <p><b>The bound.</b> A list holds at most {@value #MAX_POSTINGS} ids, so that a family of a million near duplicates
 * cannot make every check walk through all of them. One more than that takes a pseudo-random place of the list, another
 * one in each of the 16, so that of a large family a mixed sample of up to 16 × {@value #MAX_POSTINGS} stays findable;
 * beyond the bound a lookup finds a very similar hash rather than certainly the most similar. {@link #crowded} counts
 * such displacements. Candidates that occur in c of the lists can agree in at most c + 16 slots: they are compared in
 * falling order of c until none can win any more.
 *
 * <p><b>Attackers</b> who may write choose digests and shingles, so the tables are keyed by {@link KeyedHash}.
 *
 * <p><b>Concurrency.</b> One writer at a time (the caller sees to that), any number of readers. A reader takes an
 * optimistic stamp, reads, and asks whether something was written meanwhile; then it tries again, and after
 * {@value #OPTIMISTIC_ATTEMPTS} times takes the read lock. What it reads in between may be inconsistent but never leads
 * out of an array or into an endless loop. The writer holds the lock for one update, never for a batch, and prepares
 * larger tables before it takes it.
 *
 * <p><b>Memory</b> for a hash with a signature: 64 bytes of digest, 256 + 4 of signature, 28 for flag, chain and renewal, and
 * entries of 8 bytes in tables that are a third to two thirds full: 12 to 24 for the digest, 192 to 384 for the lists.
 */
public final class HashIndex {
    /** Slots that are indexed. */
    static final int POSITIONS = 16;

    /** Ids in one posting list. */
    static final int MAX_POSTINGS = 128;

    /** A near duplicate agrees in more slots than this. */
    public static final int THRESHOLD = Signature.SLOTS / 2;

    /** Flags beside the primary one that are put in order: as many as the longest reply has room for. */
    private static final int MAX_EXTRAS = 7;

    private static final int OPTIMISTIC_ATTEMPTS = 64;

    private final KeyedHash keyed;
    private final StampedLock lock = new StampedLock();
    private final Hashes hashes = new Hashes();
    private final Signatures signatures = new Signatures();
    private final IdTable digests;
    private final IdTable[] postings = new IdTable[POSITIONS];
    private final LongAdder crowded = new LongAdder();
    private volatile long size;

    // Only for the writer.
    private final long[] digestWords = new long[Digest.WORDS];
    private final long[] key = new long[1];
    private final int[] found = new int[MAX_POSTINGS];

    /**
     * An empty index.
     *
     * @param expected hashes to make room for at once; a hint
     */
    public HashIndex(KeyedHash keyed, long expected) {
        this.keyed = keyed;
        this.digests = new IdTable(expected);
        for (int i = 0; i < POSITIONS; i++) {
            postings[i] = new IdTable(expected);
        }
    }

    /** Number of digests; exact at once after each update. */
    public long size() {
        return size;
    }

    /** How often an id was displaced from a full posting list. */
    public long crowded() {
        return crowded.sum();
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
        for (int attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
            long stamp = lock.tryOptimisticRead();
            if (stamp == 0) {
                Thread.onSpinWait();
                continue;
            }
            boolean hit = search(lookup, oldest);
            if (lock.validate(stamp)) {
                return hit;
            }
        }
        long stamp = lock.readLock();
        try {
            return search(lookup, oldest);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    private boolean search(Lookup lookup, long oldest) {
        int id = idOf(lookup.digest, lookup.found);
        Match best = lookup.best;
        if (id != Hashes.NONE && hashes.read(id, oldest, best)) {
            best.exact();
            best.rank(MAX_EXTRAS);
            return true;
        }
        return lookup.hasShingles && searchSimilar(lookup, oldest);
    }

    private int idOf(long[] digest, int[] found) {
        int hash = high(keyed.hash(digest, 0, Digest.WORDS));
        int count = digests.collect(hash, found, found.length);
        for (int i = 0; i < count; i++) {
            if (hashes.isDigest(found[i], digest)) {
                return found[i];
            }
        }
        return Hashes.NONE;
    }

    private boolean searchSimilar(Lookup lookup, long oldest) {
        Candidates candidates = lookup.candidates;
        candidates.clear();
        for (int position = 0; position < POSITIONS; position++) {
            int count = postings[position].collect(postingHash(lookup.shingles[position], lookup.key), lookup.found,
                    MAX_POSTINGS);
            for (int i = 0; i < count; i++) {
                candidates.add(lookup.found[i]);
            }
        }
        Match best = lookup.best;
        best.clear();
        int size = candidates.size();
        int left = size;
        for (int lists = POSITIONS; lists > 0 && left > 0; lists--) {
            if (lists + POSITIONS < best.equalSlots()) {
                break;
            }
            for (int i = 0; i < size; i++) {
                if (candidates.count(i) == lists) {
                    left--;
                    consider(candidates.id(i), lookup, oldest);
                }
            }
        }
        if (best.equalSlots() <= THRESHOLD) {
            return false;
        }
        best.rank(MAX_EXTRAS);
        return true;
    }

    private void consider(int id, Lookup lookup, long oldest) {
        Match best = lookup.best;
        int equal = signatures.equalSlots(hashes.signature(id), lookup.shingles);
        if (equal <= THRESHOLD || equal < best.equalSlots()) {
            return;
        }
        Match other = lookup.other;
        if (!hashes.read(id, oldest, other)) {
            return;
        }
        other.equalSlots(equal);
        other.rank(0);
        if (equal > best.equalSlots() || isBetter(id, other, best)) {
            best.copyFrom(other);
        }
    }

    private boolean isBetter(int id, Match other, Match best) {
        if (other.value(0) != best.value(0)) {
            return other.value(0) > best.value(0);
        }
        if (other.time(0) != best.time(0)) {
            return other.time(0) < best.time(0);
        }
        return hashes.compareDigests(id, best.digest) < 0;
    }

    // ---- writing ----

    /**
     * Makes one change visible.
     *
     * @throws IllegalStateException if the index cannot grow any further; nothing has changed then
     */
    public void apply(Update update) {
        switch (update) {
            case Update.Write write -> write(write);
            case Update.Delete delete -> delete(delete.digest(), delete.flag(), Long.MAX_VALUE);
            case Update.DeleteAll delete -> deleteAll(delete);
            case Update.Refresh refresh -> refresh(refresh);
            case Update.Expire expire -> delete(expire.digest(), expire.flag(), expire.before());
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
        int bound = hashes.bound();
        int end = (int) Math.min(bound, (long) from + portion);
        for (int id = from; id < end; id++) {
            hashes.collectExpired(id, before, target);
        }
        return end >= bound ? 0 : end;
    }

    /**
     * Looks for expired flags of one hash. For the writer.
     *
     * @param before as in {@link #collectExpired(int, int, long, List)}
     */
    public void collectExpired(Digest digest, long before, List<Update.Expire> target) {
        digest.copyTo(digestWords, 0);
        int id = idOf(digestWords, found);
        if (id != Hashes.NONE) {
            hashes.collectExpired(id, before, target);
        }
    }

    /** Takes over a hash from a backend; one that is there already is left as it is. */
    public void load(StoredHash hash) {
        hash.digest().copyTo(digestWords, 0);
        if (idOf(digestWords, found) != Hashes.NONE) {
            return;
        }
        reserve();
        long stamp = lock.writeLock();
        try {
            int id = addHash(hash.digest(), hash.flags().getFirst());
            addSignature(id, hash.signature());
            hashes.renew(id, hash.renewed());
        } finally {
            lock.unlockWrite(stamp);
        }
        for (FlagValue flag : hash.flags().subList(1, hash.flags().size())) {
            setFlag(idOf(digestWords, found), flag);
        }
    }

    private void write(Update.Write write) {
        write.digest().copyTo(digestWords, 0);
        int id = idOf(digestWords, found);
        if (id == Hashes.NONE) {
            reserve();
            long stamp = lock.writeLock();
            try {
                int added = addHash(write.digest(), new FlagValue(write.flag(), write.weight(), write.time()));
                addSignature(added, write.signature());
            } finally {
                lock.unlockWrite(stamp);
            }
            return;
        }
        FlagValue now = hashes.flag(id, write.flag());
        setFlag(id, now == null
                ? new FlagValue(write.flag(), write.weight(), write.time())
                : now.plus(write.weight(), write.time()));
        int signature = hashes.signature(id);
        if (write.signature() != null
                && (signature == Hashes.NONE || signatures.mask(signature) != Signature.ALL_SLOTS)) {
            reserve();
            long stamp = lock.writeLock();
            try {
                removeSignature(id);
                addSignature(id, write.signature());
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    private void refresh(Update.Refresh refresh) {
        refresh.digest().copyTo(digestWords, 0);
        int id = idOf(digestWords, found);
        if (id == Hashes.NONE) {
            return;
        }
        long stamp = lock.writeLock();
        try {
            hashes.renew(id, refresh.time());
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private void delete(Digest digest, int flag, long before) {
        digest.copyTo(digestWords, 0);
        int id = idOf(digestWords, found);
        if (id == Hashes.NONE) {
            return;
        }
        FlagValue now = hashes.flag(id, flag);
        if (now == null || Math.max(now.time(), hashes.renewed(id)) >= before) {
            return;
        }
        long stamp = lock.writeLock();
        try {
            if (!hashes.removeFlag(id, flag)) {
                removeHash(id);
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    private void deleteAll(Update.DeleteAll delete) {
        delete.digest().copyTo(digestWords, 0);
        int id = idOf(digestWords, found);
        if (id == Hashes.NONE) {
            return;
        }
        long stamp = lock.writeLock();
        try {
            removeHash(id);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Takes the hash whose digest is in {@link #digestWords} out of every table. */
    private void removeHash(int id) {
        removeSignature(id);
        digests.remove(high(keyed.hash(digestWords, 0, Digest.WORDS)), id);
        hashes.remove(id);
        size = digests.size();
    }

    private void setFlag(int id, FlagValue flag) {
        reserve();
        long stamp = lock.writeLock();
        try {
            hashes.setFlag(id, flag);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** The long part of growing, done while readers go on. */
    private void reserve() {
        hashes.reserve();
        signatures.reserve();
        growIfFull(digests);
        for (IdTable table : postings) {
            growIfFull(table);
        }
    }

    private void growIfFull(IdTable table) {
        if (table.full()) {
            long[] grown = table.grown();
            long stamp = lock.writeLock();
            try {
                table.install(grown);
            } finally {
                lock.unlockWrite(stamp);
            }
        }
    }

    private int addHash(Digest digest, FlagValue primary) {
        int id = hashes.add(digest, primary);
        digest.copyTo(digestWords, 0);
        digests.add(high(keyed.hash(digestWords, 0, Digest.WORDS)), id);
        size = digests.size();
        return id;
    }

    private void addSignature(int id, @Nullable Signature signature) {
        if (signature == null) {
            return;
        }
        hashes.setSignature(id, signatures.add(signature));
        for (int position = 0; position < POSITIONS; position++) {
            if (signature.has(position)) {
                int hash = postingHash(signature.value(position), key);
                // Another choice in each list, and one that the writer of the hash cannot foresee.
                int choice = hash ^ ((id + position * 0x632be5ab) * 0x9e3779b9);
                if (postings[position].addBounded(hash, id, MAX_POSTINGS, choice >>> 8)) {
                    crowded.increment();
                }
            }
        }
    }

    private void removeSignature(int id) {
        int signature = hashes.signature(id);
        if (signature == Hashes.NONE) {
            return;
        }
        Signature old = signatures.get(signature);
        for (int position = 0; position < POSITIONS; position++) {
            if (old.has(position)) {
                postings[position].remove(postingHash(old.value(position), key), id);
            }
        }
        hashes.setSignature(id, Hashes.NONE);
        signatures.remove(signature);
    }

    private int postingHash(long shingle, long[] room) {
        room[0] = shingle;
        return high(keyed.hash(room, 0, 1));
    }

    private static int high(long hash) {
        return (int) (hash >>> 32);
    }
}
