package dev.weir.storage.index;

/**
 * Operations on hash buckets and their overflow chains.
 *
 * <p>Entries that do not fit into a {@link HashBucket} are in overflow blocks that form a chain. The first three blocks
 * of a chain have room for 3 entries (16 bytes), all others for 15 (64 bytes). Most chains are one small block; large
 * blocks belong to values that many hashes share. Only one part of a bucket has free places: the bucket itself, or if
 * it has a chain, the deepest small block or the first large one. A new entry goes there, or replaces the greatest
 * entry of the bucket, which then goes there. The last entry from there fills the place of a removed one. An entry is
 * never 0.
 */
final class BucketChains {
    /** The longest chain that may still grow; see {@link #replaceIfLong}. */
    static final int MANY_BLOCKS = 64;

    /** Blocks after which a reader stops, because the writer may be changing the chain. */
    private static final int ENDLESS = 4096;

    /** More blocks of each kind than one update can use, including the buckets that it moves. */
    private static final int RESERVE = 512;

    /** Blocks that one update uses itself: one for each entry, and one more. */
    private static final int FOR_UPDATE = Fingerprints.PAIRS + 1;

    /** The highest number of a large block. */
    private static final int LAST_LARGE = Integer.MAX_VALUE - 1;

    private static final int SMALL_DEPTH = 3;
    private static final int SMALL_ENTRIES = 3;

    private final OverflowBlocks small;
    private final OverflowBlocks large;

    BucketChains(OffHeapArena memory) {
        this(memory, 0);
    }

    private BucketChains(OverflowBlocks small, OverflowBlocks large) {
        this.small = small;
        this.large = large;
    }

    /** Creates a pool whose block numbers start after {@code before}, as if that many blocks existed; for tests. */
    BucketChains(OffHeapArena memory, int before) {
        this.small = new OverflowBlocks(memory, SMALL_ENTRIES, before);
        this.large = new OverflowBlocks(memory, HashBucket.ENTRIES, 0);
    }

    /**
     * Reserves the blocks that some updates may need. Needs no lock.
     *
     * @param idBits the least width of the ids in a bucket
     * @throws IndexFullException if links cannot name more blocks, or there is no memory for them
     */
    void reserve(long updates, int idBits) {
        long count = RESERVE + updates * FOR_UPDATE;
        small.reserve(count, HashBucket.linkMask(idBits));
        large.reserve(count, LAST_LARGE);
    }

    /**
     * Returns chains for another thread, which takes blocks beside the other threads. Each bucket must belong to one
     * thread. Ends with {@link #giveBackShare}.
     *
     * @param idBits the least width of the ids in a bucket
     */
    BucketChains share(int idBits) {
        return new BucketChains(small.share(HashBucket.linkMask(idBits)), large.share(LAST_LARGE));
    }

    /** Gives back the blocks that a share took and did not use. */
    void giveBackShare() {
        small.giveBackShare();
        large.giveBackShare();
    }

    /** Returns how many blocks links can name, including free blocks. */
    int named() {
        return small.bound() - 1;
    }

    private OverflowBlocks at(int depth) {
        return depth < SMALL_DEPTH ? small : large;
    }

    // ---- reading ----

    /**
     * Copies the ids of all entries that have the tag of a probe.
     *
     * @param count ids that are in {@code target} already; ids that do not fit behind them are left out
     * @return ids that are in {@code target} afterwards
     */
    int collect(BucketProbes probes, int i, int[] target, int count) {
        long bucket = probes.addresses[i];
        int tag = probes.tags[i];
        int idBits = probes.idBits[i];
        int found = HashBucket.collect(bucket, tag, idBits, target, count);
        return HashBucket.isChainWorth(bucket, tag, idBits)
                ? collectChain(HashBucket.link(bucket, idBits), probes, i, target, found)
                : found;
    }

    private int collectChain(int first, BucketProbes probes, int i, int[] target, int count) {
        int found = count;
        int number = first;
        int depth = 0;
        for (; number != 0 && depth < ENDLESS; depth++) {
            OverflowBlocks blocks = at(depth);
            long block = blocks.address(number);
            found = HashBucket.copy(block, blocks.entries(), probes.tags[i], probes.idBits[i], target, found);
            number = OffHeapArena.getInt(blocks.link(block));
        }
        probes.blocksRead += depth;
        return found;
    }

    /** Prefetches the first overflow blocks. */
    long touchChains(BucketProbes probes, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            int number = HashBucket.link(probes.addresses[i], probes.idBits[i]);
            // Without a chain, read the first block: that saves a branch.
            sum += OffHeapArena.getLong(small.address(Math.max(number, 1)));
        }
        return sum;
    }

    // ---- writing ----

    /**
     * Adds an entry.
     *
     * @return whether an entry went to a large block
     */
    boolean add(long bucket, int value, int idBits) {
        if (HashBucket.entry(bucket, HashBucket.ENTRIES, HashBucket.ENTRIES - 1) == 0) {
            HashBucket.entry(bucket, HashBucket.ENTRIES, HashBucket.used(bucket), value);
            return false;
        }
        int largest = HashBucket.largest(bucket);
        int old = HashBucket.entry(bucket, HashBucket.ENTRIES, largest);
        if (Integer.compareUnsigned(value, old) < 0) {
            HashBucket.entry(bucket, HashBucket.ENTRIES, largest, value);
            return addToChain(bucket, old, idBits);
        }
        return addToChain(bucket, value, idBits);
    }

    private boolean addToChain(long bucket, int value, int idBits) {
        long linkAt = bucket + HashBucket.LINK;
        if (OffHeapArena.getInt(linkAt) == 0) {
            OffHeapArena.putInt(linkAt, ~HashBucket.linkMask(idBits));
        }
        HashBucket.lowerLeast(bucket, value, idBits);
        for (int depth = 0; depth < SMALL_DEPTH; depth++) {
            int number = OffHeapArena.getInt(linkAt) & (depth == 0 ? HashBucket.linkMask(idBits) : -1);
            if (number == 0) {
                number = small.take();
                OffHeapArena.putInt(linkAt, OffHeapArena.getInt(linkAt) | number);
            }
            long block = small.address(number);
            if (HashBucket.entry(block, SMALL_ENTRIES, SMALL_ENTRIES - 1) == 0) {
                HashBucket.entry(block, SMALL_ENTRIES, HashBucket.used(block, SMALL_ENTRIES), value);
                return false;
            }
            linkAt = small.link(block);
        }
        int number = OffHeapArena.getInt(linkAt);
        if (number == 0 || HashBucket.entry(large.address(number), HashBucket.ENTRIES, HashBucket.ENTRIES - 1) != 0) {
            int taken = large.take();
            OffHeapArena.putInt(large.link(large.address(taken)), number);
            OffHeapArena.putInt(linkAt, taken);
            number = taken;
        }
        long block = large.address(number);
        HashBucket.entry(block, HashBucket.ENTRIES, HashBucket.used(block), value);
        return true;
    }

    /** Returns whether the bucket has large blocks. Otherwise it has at most 24 entries. */
    boolean isCrowded(long bucket, int idBits) {
        int number = HashBucket.link(bucket, idBits);
        for (int depth = 0; number != 0 && depth < SMALL_DEPTH; depth++) {
            number = OffHeapArena.getInt(small.link(small.address(number)));
        }
        return number != 0;
    }

    /** Returns how many entries have a tag. */
    int count(long bucket, int tag, int idBits) {
        return walk(bucket, tag, idBits, -1, 0);
    }

    /** Replaces entry number {@code which} of those with the same tag. */
    void replace(long bucket, int value, int idBits, int which) {
        walk(bucket, (value >>> idBits) << idBits, idBits, which, value);
    }

    private int walk(long bucket, int tag, int idBits, int which, int value) {
        int same = 0;
        long at = bucket;
        int room = HashBucket.ENTRIES;
        int number = HashBucket.link(bucket, idBits);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                int entry = HashBucket.entry(at, room, i);
                if ((entry ^ tag) >>> idBits == 0 && entry != 0) {
                    if (same == which) {
                        HashBucket.entry(at, room, i, value);
                        HashBucket.lowerLeast(bucket, value, idBits);
                        return same;
                    }
                    same++;
                }
            }
            if (number == 0) {
                return same;
            }
            OverflowBlocks blocks = at(depth);
            at = blocks.address(number);
            room = blocks.entries();
            number = OffHeapArena.getInt(blocks.link(at));
        }
    }

    /**
     * Replaces an entry of the first large block, if the chain must not get longer.
     *
     * @return whether the chain is that long
     */
    boolean replaceIfLong(long bucket, int value, int idBits, int choice) {
        int number = HashBucket.link(bucket, idBits);
        int first = 0;
        int depth = 0;
        for (; number != 0 && depth < MANY_BLOCKS; depth++) {
            OverflowBlocks blocks = at(depth);
            if (depth == SMALL_DEPTH) {
                first = number;
            }
            number = OffHeapArena.getInt(blocks.link(blocks.address(number)));
        }
        if (number == 0) {
            return false;
        }
        long block = large.address(first);
        HashBucket.entry(block, HashBucket.ENTRIES, Math.floorMod(choice, HashBucket.used(block)),
                value);
        HashBucket.lowerLeast(bucket, value, idBits);
        return true;
    }

    /** The result of {@link #remove}. */
    enum Removed {
        /** The entry is not there. */
        NOTHING,
        /** A place became free in the bucket or a small block. */
        NEAR,
        /** A place became free in a large block. */
        FAR
    }

    /** Removes an entry and fills its place with the last entry. */
    Removed remove(long bucket, int value, int idBits) {
        // The last entry is in the deepest small block or in the first large one.
        long linkAt = bucket + HashBucket.LINK;
        int number = HashBucket.link(bucket, idBits);
        int depth = 0;
        while (number != 0 && depth < SMALL_DEPTH) {
            long next = small.link(small.address(number));
            if (OffHeapArena.getInt(next) == 0) {
                break;
            }
            linkAt = next;
            number = OffHeapArena.getInt(next);
            depth++;
        }
        OverflowBlocks blocks = at(depth);
        long last = number == 0 ? bucket : blocks.address(number);
        int room = number == 0 ? HashBucket.ENTRIES : blocks.entries();
        int used = HashBucket.used(last, room);
        if (used == 0 || !put(bucket, idBits, value, HashBucket.entry(last, room, used - 1))) {
            return Removed.NOTHING;
        }
        HashBucket.entry(last, room, used - 1, 0);
        if (used == 1 && number != 0) {
            // If this is the link of the bucket, no block follows, so this also clears its upper bits.
            OffHeapArena.putInt(linkAt, OffHeapArena.getInt(blocks.link(last)));
            blocks.giveBack(number);
        }
        return number == 0 || depth < SMALL_DEPTH ? Removed.NEAR : Removed.FAR;
    }

    /** Replaces an entry and returns whether it was there. */
    private boolean put(long bucket, int idBits, int old, int value) {
        long at = bucket;
        int room = HashBucket.ENTRIES;
        int number = HashBucket.link(bucket, idBits);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                if (HashBucket.entry(at, room, i) == old) {
                    HashBucket.entry(at, room, i, value);
                    return true;
                }
            }
            if (number == 0) {
                return false;
            }
            OverflowBlocks blocks = at(depth);
            at = blocks.address(number);
            room = blocks.entries();
            number = OffHeapArena.getInt(blocks.link(at));
        }
    }

    /** Moves all entries of a bucket and its chain to {@code target}. */
    void drain(long bucket, int idBits, DrainedEntries target) {
        take(bucket, HashBucket.ENTRIES, target);
        int number = HashBucket.link(bucket, idBits);
        for (int depth = 0; number != 0; depth++) {
            if (depth == SMALL_DEPTH) {
                target.near = target.size;
            }
            OverflowBlocks blocks = at(depth);
            long block = blocks.address(number);
            take(block, blocks.entries(), target);
            int next = OffHeapArena.getInt(blocks.link(block));
            blocks.giveBack(number);
            number = next;
        }
        target.near = Math.min(target.near, target.size);
        OffHeapArena.clear(bucket, HashBucket.BYTES);
    }

    private static void take(long from, int room, DrainedEntries target) {
        for (int i = 0; i < room; i++) {
            int entry = HashBucket.entry(from, room, i);
            if (entry == 0) {
                return;
            }
            target.add(entry);
        }
    }
}
