package dev.weir.storage.index;

/**
 * A hash table of posting lists: it maps a hash to the ids that were added under it. The buckets
 * ({@link BucketChains}) are ordered by hash ({@link BucketMapping}).
 *
 * <p><b>Growing.</b> To grow by an eighth, the table moves its buckets one by one, from the last to the first: bucket i
 * of B goes to about i·9/8 of the larger table, which lies behind all buckets that have not moved yet. So the table
 * grows in place and in tiny steps, a few with each added id. Until it has finished, hashes whose old bucket lies
 * before the frontier stay where they were. The table is never copied as a whole, so it leaves no unusable memory
 * behind.
 *
 * <p><b>Small tables</b> trade some megabytes for time. They grow by a half, so an entry moves twice instead of eight
 * times. They also grow earlier, so few buckets overflow and a miss reads nothing but its buckets.
 *
 * <p><b>Bounds.</b> With {@link #addBounded}, at most {@value #MAX_POSTINGS} ids stay under one hash, and at most a
 * thousand in one bucket. A further id replaces another one.
 *
 * <p><b>Threads.</b> One writer. Readers may run at the same time. They never leave the memory and never loop forever;
 * the caller checks afterwards whether the writer changed something (see {@link HashIndex}).
 */
final class PostingTable {
    /** The longest bounded posting list. */
    static final int MAX_POSTINGS = 128;

    /** Entries per bucket, not counting large overflow blocks, at which a large table starts to grow. */
    private static final double FULL = 13.9;

    /** The same for a small table. */
    private static final double SMALL_FULL = 10;

    /** A large table grows by the size divided by this. */
    private static final int GROWTH = 8;

    /** A small table grows by the size divided by this. */
    private static final int SMALL_GROWTH = 2;

    /** Buckets from which on a table is large: 128 MiB. */
    private static final long LARGE = 1L << 21;
    private static final int SMALLEST = 16;

    /** Buckets of a part, as a power of two: 256 KiB. A chunk of the array is a multiple of that. */
    private static final int PART_SHIFT = 12;

    private final ChunkedArray array;
    private final BucketChains chains;
    private final int hashBits;
    private final int idSlack;
    private final int smaller;
    private final int entriesForId;

    /** Buckets below this follow {@link #before}, all others {@link #now}. 0 while the table does not grow. */
    private long frontier;
    private BucketMapping before;
    private BucketMapping now;

    // Only for the writer.
    private final DrainedEntries moving = new DrainedEntries();
    private long near;
    private long displaced;

    /**
     * Creates an empty table.
     *
     * @param expected ids to make room for at once; a hint
     * @param entriesForId entries that one id has in this table, 1..16
     * @param idSlack 1..8; there may be up to 2^(idSlack - 1) times more ids than buckets. Hashes have
     *            {@code 32 - idSlack} bits
     * @param smaller bits by which ids and hashes are shorter than they could be; 0 except in tests of the bounds
     */
    PostingTable(OffHeapArena memory, long expected, int entriesForId, int idSlack, int smaller) {
        this.array = new ChunkedArray(memory, HashBucket.BYTES);
        this.chains = new BucketChains(memory);
        this.hashBits = Integer.SIZE - idSlack - smaller;
        this.smaller = smaller;
        this.idSlack = idSlack;
        this.entriesForId = entriesForId;
        long entries = expected * entriesForId;
        long wanted = Math.max((long) (entries / (FULL - 0.1)),
                Math.min((long) (entries / (SMALL_FULL - 0.1)), LARGE));
        this.now = new BucketMapping(Math.clamp(wanted, SMALLEST, largest()), hashBits);
        this.before = now;
        array.expect(now.buckets - 1);
    }

    private long largest() {
        // This leaves a tag of two bits.
        return 1L << (hashBits - 2);
    }

    /** Returns the width of the hashes in bits. */
    int hashBits() {
        return hashBits;
    }

    /** Returns how many ids were replaced by others since the table was created. */
    long displaced() {
        return displaced;
    }

    private BucketMapping mapping(long hash) {
        return frontier != 0 && before.bucket(hash) < frontier ? before : now;
    }

    // ---- reading ----

    /**
     * Computes the buckets of some hashes without reading them.
     *
     * @param from the first probe and hash
     * @param to behind the last
     */
    void locate(long[] hashes, BucketProbes target, int from, int to) {
        BucketMapping mapping = now;
        BucketMapping old = before;
        long border = frontier;
        long[] chunks = array.chunks();
        target.commonIdBits = border == 0 || old.idBits() == mapping.idBits() ? mapping.idBits() : 0;
        if (border == 0) {
            for (int i = from; i < to; i++) {
                locate(chunks, mapping, hashes[i], target, i);
            }
        } else {
            for (int i = from; i < to; i++) {
                locate(chunks, old.bucket(hashes[i]) < border ? old : mapping, hashes[i], target, i);
            }
        }
    }

    private void locate(long[] chunks, BucketMapping mapping, long hash, BucketProbes target, int i) {
        target.addresses[i] = array.address(chunks, mapping.bucket(hash));
        target.tags[i] = mapping.tag(hash);
        target.idBits[i] = mapping.idBits();
    }

    /**
     * Finds the probes of the last {@link #locate} that may have a match, so that {@link #collect} is worth calling.
     *
     * @return bit i for probe i
     */
    int scan(BucketProbes probes, int from, int to) {
        return probes.commonIdBits == 0
                ? (1 << to) - (1 << from)
                : HashBucket.scan(probes, from, to, probes.commonIdBits);
    }

    /** Copies the ids of one probe; see {@link BucketChains#collect}. */
    int collect(BucketProbes probes, int i, int[] target, int count) {
        return chains.collect(probes, i, target, count);
    }

    /**
     * Returns whether the list that {@link #collect} read cannot have lost an id.
     *
     * @param count ids that it returned
     * @param blocks overflow blocks that it read
     */
    static boolean isWhole(int count, int blocks) {
        return count < MAX_POSTINGS && blocks < BucketChains.MANY_BLOCKS;
    }

    /** Prefetches the first overflow blocks. */
    long touchChains(BucketProbes probes, int from, int to) {
        return chains.touchChains(probes, from, to);
    }

    // ---- growing ----

    /** Returns whether an id fits into an entry. If not, call {@link #prepare} and {@link #advance} until it does. */
    boolean fits(int id) {
        return id >>> (before.idBits() - smaller) == 0 && id >>> (now.idBits() - smaller) == 0;
    }

    /** Returns whether {@link #advance} has work to do. */
    boolean isGrowing(int id) {
        return frontier != 0 || (wantsToGrow(id) && larger() > now.buckets);
    }

    /**
     * Takes the memory that some updates may need, and at most one chunk for growing. Needs no lock.
     *
     * @param id the largest id to add
     * @throws IndexFullException if there is no memory, or the table has its largest size
     */
    void prepare(long updates, int id) {
        chains.reserve(updates, before.idBits());
        if (frontier == 0 && wantsToGrow(id)) {
            if (larger() > now.buckets) {
                growIfNeeded(id);
            } else if (!fits(id)) {
                throw new IndexFullException("the memory index is full: ids in its posting lists cannot be longer");
            }
        }
    }

    /** As long as ids fit, growing can wait for memory. Until then only the chains get longer. */
    private void growIfNeeded(int id) {
        try {
            array.grow(larger() - 1);
        } catch (IndexFullException e) {
            if (!fits(id)) {
                throw e;
            }
        }
    }

    /** Returns the number of buckets. */
    long bucketCount() {
        return now.buckets;
    }

    /** Returns the number of overflow blocks that bucket links can name. */
    int named() {
        return chains.named();
    }

    private boolean wantsToGrow(int id) {
        return near > now.buckets * full(now.buckets) || id > 0.9 * (now.buckets << (idSlack - 1));
    }

    private long larger() {
        return Math.min(largest(), now.buckets + now.buckets / growth(now.buckets));
    }

    private static double full(long buckets) {
        return buckets < LARGE ? SMALL_FULL : FULL;
    }

    private static int growth(long buckets) {
        return buckets < LARGE ? SMALL_GROWTH : GROWTH;
    }

    /** Buckets to move with each id. All must have moved before the table is full again. */
    private int steps() {
        return 1 + (int) (entriesForId * growth(before.buckets) / (full(before.buckets) * 0.9));
    }

    /** Does a few steps of growing. Readers must not see a half-done step. */
    void advance(int id) {
        if (frontier == 0) {
            if (!wantsToGrow(id) || larger() == now.buckets || array.capacity() < larger()) {
                return;
            }
            before = now;
            now = new BucketMapping(larger(), hashBits);
            frontier = before.buckets;
        }
        for (int i = steps(); i > 0 && frontier != 0; i--) {
            move(frontier - 1);
        }
        if (frontier == 0) {
            before = now;
        }
    }

    private void move(long number) {
        moving.clear();
        chains.drain(array.address(number), before.idBits(), moving);
        near -= moving.near;
        frontier = number;
        // The entries go to two or three buckets in any order, so remember the last two and how full they are.
        long bucket = 0;
        int used = 0;
        long otherBucket = 0;
        int otherUsed = 0;
        for (int i = 0; i < moving.size; i++) {
            int entry = moving.values[i];
            long hash = before.hash(number, entry);
            long target = array.address(now.bucket(hash));
            if (target != bucket) {
                boolean swap = target == otherBucket;
                long wasBucket = bucket;
                int wasUsed = used;
                bucket = target;
                used = swap ? otherUsed : HashBucket.used(target);
                otherBucket = wasBucket;
                otherUsed = wasUsed;
            }
            int value = now.tag(hash) | before.id(entry);
            if (used < HashBucket.ENTRIES) {
                HashBucket.append(bucket, used++, value);
                near++;
            } else if (!chains.add(bucket, value, now.idBits())) {
                near++;
            }
        }
    }

    // ---- writing ----

    private void append(long hash, int id, BucketMapping mapping) {
        if (!chains.add(array.address(mapping.bucket(hash)), mapping.tag(hash) | id, mapping.idBits())) {
            near++;
        }
    }

    /** Chooses what to replace in a full list. The choice differs in each list, and a client cannot predict it. */
    static int choice(long hash, int id) {
        return ((int) hash ^ (id * 0x9e3779b9)) >>> 8;
    }

    /** Adds an id. The caller has reserved room. */
    void add(long hash, int id) {
        append(hash, id, mapping(hash));
    }

    /**
     * Adds an id within the bounds. In a full list it replaces an id that {@code choice} selects.
     */
    void addBounded(long hash, int id, int choice) {
        BucketMapping mapping = mapping(hash);
        long bucket = array.address(mapping.bucket(hash));
        if (chains.isCrowded(bucket, mapping.idBits())
                && replaceInFull(chains, mapping, bucket, mapping.tag(hash) | id, choice)) {
            displaced++;
        } else {
            append(hash, id, mapping);
        }
    }

    /** Puts an entry in place of another one of a crowded bucket if its list is full. Returns whether it was. */
    static boolean replaceInFull(BucketChains chains, BucketMapping mapping, long bucket, int entry, int choice) {
        int tag = entry ^ mapping.id(entry);
        int same = chains.count(bucket, tag, mapping.idBits());
        if (same >= MAX_POSTINGS) {
            chains.replace(bucket, entry, mapping.idBits(), Math.floorMod(choice, same));
            return true;
        }
        return chains.replaceIfLong(bucket, entry, mapping.idBits(), choice);
    }

    // ---- filling ----

    /** Returns what a pool of entries gets for an id. The table must not be growing, and not grow before it is full. */
    long entry(long hash, int id) {
        return (now.bucket(hash) << Integer.SIZE) | ((now.tag(hash) | id) & 0xffffffffL);
    }

    /** Returns the part of the table that an entry belongs to. */
    static int part(long entry) {
        return (int) (entry >>> (Integer.SIZE + PART_SHIFT));
    }

    /** Returns the number of parts. */
    int parts() {
        return part((now.buckets - 1) << Integer.SIZE) + 1;
    }

    /**
     * Returns a filler for one thread.
     *
     * @param bounded whether lists are bounded, as with {@link #addBounded}
     */
    BucketFiller filler(boolean bounded) {
        return new BucketFiller(this, array, now, chains.share(now.idBits()), PART_SHIFT, bounded);
    }

    /** Adds what a filler counted. */
    void complete(long newNear, long newDisplaced) {
        near += newNear;
        displaced += newDisplaced;
    }

    /** Removes an id, if it is there. */
    void remove(long hash, int id) {
        BucketMapping mapping = mapping(hash);
        long bucket = array.address(mapping.bucket(hash));
        if (chains.remove(bucket, mapping.tag(hash) | id, mapping.idBits()) == BucketChains.Removed.NEAR) {
            near--;
        }
    }
}
