package dev.weir.storage.index;

/**
 * Bags of entries, one cache line each, that may overflow.
 *
 * <p>A line is 15 entries of 4 bytes and a link. The entries that find no place in it are in blocks chained to it: the
 * first two of a chain have room for 3 entries (16 bytes), all others for 15 (64 bytes). Most chains are one small block;
 * large ones belong to values that many hashes share. All places are taken but for the last of the line, or if it has a
 * chain, the last of the deepest small block or of the first large one: there entries are added, and from there the hole
 * is filled that a removed one leaves. An entry is never 0.
 *
 * <p>The link has the number of the first block in its lower bits and a filter above: those entries are in the chain
 * whose {@link #filter} bit is set. So that a look into an overflowing line mostly ends in the line.
 */
final class Lines {
    static final int LINE = 64;

    /** Entries in the line itself. */
    static final int ENTRIES = 15;

    /** Blocks of a chain beyond which {@link #replaceIfLong} says so. */
    private static final int MANY_BLOCKS = 64;

    /** Where a reader stops who follows a chain that is being changed. */
    private static final int ENDLESS = 4096;

    private static final int SMALL_DEPTH = 2;
    private static final int SMALL_ENTRIES = 3;
    private static final long LINK = ENTRIES * Integer.BYTES;
    private static final int LINK_BITS = 26;
    private static final int LINK_MASK = (1 << LINK_BITS) - 1;
    private static final int FILTER_BITS = Integer.SIZE - LINK_BITS;
    private static final long LOW_LANE = 0xffffffffL;
    private static final long HIGH_BITS = 0x8000000080000000L;

    private final Blocks small;
    private final Blocks large;

    Lines(OffHeap memory) {
        this.small = new Blocks(memory, SMALL_ENTRIES);
        this.large = new Blocks(memory, ENTRIES);
    }

    /** The bit that a hash has in the filter of a link. */
    static int filter(long hash) {
        return 1 << (LINK_BITS + (int) (((hash & 0xff) * FILTER_BITS) >>> 8));
    }

    /**
     * Makes room for what one update can need; needs no lock.
     *
     * @throws IllegalStateException if links cannot tell more blocks apart
     */
    void reserve() {
        if (small.bound() > LINK_MASK - ENDLESS) {
            throw new IllegalStateException("the memory index is full");
        }
        small.reserve();
        large.reserve();
    }

    private Blocks at(int depth) {
        return depth < SMALL_DEPTH ? small : large;
    }

    private static int entry(long from, int i) {
        return OffHeap.getInt(from + (long) i * Integer.BYTES);
    }

    private static void entry(long from, int i, int value) {
        OffHeap.putInt(from + (long) i * Integer.BYTES, value);
    }

    private static int used(long from, int room) {
        int used = room;
        while (used > 0 && entry(from, used - 1) == 0) {
            used--;
        }
        return used;
    }

    private static int link(long line) {
        return OffHeap.getInt(line + LINK) & LINK_MASK;
    }

    // ---- reading ----

    /**
     * Copies ids of the entries at a place that begin with its tag.
     *
     * @param count ids that are in {@code target} already; what does not fit behind them is left out
     * @return ids that are then in {@code target}
     */
    int collect(Places places, int i, int[] target, int count) {
        long line = places.lines[i];
        int tag = places.tags[i];
        int idBits = places.idBits[i];
        long lanes = (tag & LOW_LANE) | ((long) tag << 32);
        long one = (1L << idBits) & LOW_LANE;
        long ones = one | (one << 32);
        long tags = -one & LOW_LANE;
        long tagMask = tags | (tags << 32);
        long last = OffHeap.getLong(line + 56);
        long any = match(OffHeap.getLong(line), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 8), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 16), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 24), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 32), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 40), lanes, tagMask, ones)
                | match(OffHeap.getLong(line + 48), lanes, tagMask, ones)
                | (match(last, lanes, tagMask, ones) & LOW_LANE);
        int link = (int) (last >>> 32);
        int found = any == 0 ? count : copy(line, ENTRIES, tag, idBits, target, count);
        return (link & places.filters[i]) == 0 ? found : collectChain(link & LINK_MASK, places, i, target, found);
    }

    /** Not 0 if the tag of one of the two entries is the wanted one. */
    private static long match(long word, long lanes, long tagMask, long ones) {
        long difference = (word ^ lanes) & tagMask;
        return (difference - ones) & ~difference & HIGH_BITS;
    }

    private int collectChain(int first, Places places, int i, int[] target, int count) {
        int found = count;
        int number = first;
        int depth = 0;
        for (; number != 0 && depth < ENDLESS; depth++) {
            Blocks blocks = at(depth);
            long block = blocks.address(number);
            found = copy(block, blocks.entries(), places.tags[i], places.idBits[i], target, found);
            number = OffHeap.getInt(blocks.link(block));
        }
        places.blocks += depth;
        return found;
    }

    private static int copy(long from, int entries, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (int i = 0; i < entries && found < target.length; i++) {
            int id = entry(from, i) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
    }

    // ---- writing ----

    /**
     * Adds an entry.
     *
     * @return whether it went to a large block
     */
    boolean add(long line, int value, int filter) {
        if (entry(line, ENTRIES - 1) == 0) {
            entry(line, used(line, ENTRIES), value);
            return false;
        }
        long linkAt = line + LINK;
        OffHeap.putInt(linkAt, OffHeap.getInt(linkAt) | filter);
        for (int depth = 0; depth < SMALL_DEPTH; depth++) {
            int number = OffHeap.getInt(linkAt) & LINK_MASK;
            if (number == 0) {
                number = small.take();
                OffHeap.putInt(linkAt, OffHeap.getInt(linkAt) | number);
            }
            long block = small.address(number);
            if (entry(block, SMALL_ENTRIES - 1) == 0) {
                entry(block, used(block, SMALL_ENTRIES), value);
                return false;
            }
            linkAt = small.link(block);
        }
        int number = OffHeap.getInt(linkAt);
        if (number == 0 || entry(large.address(number), ENTRIES - 1) != 0) {
            int taken = large.take();
            OffHeap.putInt(large.link(large.address(taken)), number);
            OffHeap.putInt(linkAt, taken);
            number = taken;
        }
        long block = large.address(number);
        entry(block, used(block, ENTRIES), value);
        return true;
    }

    /** Whether the line has large blocks at all: otherwise there are at most 21 entries. */
    boolean isCrowded(long line) {
        int number = link(line);
        for (int depth = 0; number != 0 && depth < SMALL_DEPTH; depth++) {
            number = OffHeap.getInt(small.link(small.address(number)));
        }
        return number != 0;
    }

    /** How many entries begin with a tag. */
    int count(long line, int tag, int idBits) {
        return walk(line, tag, idBits, -1, 0);
    }

    /** Puts an entry in the place of the one at {@code which} of those that begin with its own tag. */
    void replace(long line, int value, int idBits, int which) {
        walk(line, (value >>> idBits) << idBits, idBits, which, value);
    }

    private int walk(long line, int tag, int idBits, int which, int value) {
        int same = 0;
        long at = line;
        int room = ENTRIES;
        int number = link(line);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                int entry = entry(at, i);
                if ((entry ^ tag) >>> idBits == 0 && entry != 0) {
                    if (same == which) {
                        entry(at, i, value);
                        return same;
                    }
                    same++;
                }
            }
            if (number == 0) {
                return same;
            }
            Blocks blocks = at(depth);
            at = blocks.address(number);
            room = blocks.entries();
            number = OffHeap.getInt(blocks.link(at));
        }
    }

    /**
     * Puts an entry in the place of any in the first large block, if there are so many blocks that a reader should not
     * follow more.
     *
     * @return whether that was so
     */
    boolean replaceIfLong(long line, int value, int filter, int choice) {
        int number = link(line);
        int first = 0;
        int depth = 0;
        for (; number != 0 && depth < MANY_BLOCKS; depth++) {
            Blocks blocks = at(depth);
            if (depth == SMALL_DEPTH) {
                first = number;
            }
            number = OffHeap.getInt(blocks.link(blocks.address(number)));
        }
        if (number == 0) {
            return false;
        }
        long block = large.address(first);
        entry(block, Math.floorMod(choice, used(block, ENTRIES)), value);
        OffHeap.putInt(line + LINK, OffHeap.getInt(line + LINK) | filter);
        return true;
    }

    /** What {@link #remove} did. */
    enum Removed {
        /** The entry is not there. */
        NOTHING,
        /** A place became free in the line or a small block. */
        NEAR,
        /** A place became free in a large block. */
        FAR
    }

    /** Removes an entry and keeps all places but the last taken. */
    Removed remove(long line, int value) {
        long hole = find(line, value);
        if (hole == 0) {
            return Removed.NOTHING;
        }
        // The link to the deepest small block, or to the first large one.
        long linkAt = line + LINK;
        int number = link(line);
        int depth = 0;
        while (number != 0 && depth < SMALL_DEPTH) {
            long next = small.link(small.address(number));
            if (OffHeap.getInt(next) == 0) {
                break;
            }
            linkAt = next;
            number = OffHeap.getInt(next);
            depth++;
        }
        if (number == 0) {
            fill(hole, line, ENTRIES);
            return Removed.NEAR;
        }
        Blocks blocks = at(depth);
        long block = blocks.address(number);
        if (fill(hole, block, blocks.entries())) {
            int next = OffHeap.getInt(blocks.link(block));
            OffHeap.putInt(linkAt, linkAt == line + LINK ? 0 : next);
            blocks.giveBack(number);
        }
        return depth < SMALL_DEPTH ? Removed.NEAR : Removed.FAR;
    }

    /** Moves the last entry of a line or block into the hole; whether it is empty then. */
    private static boolean fill(long hole, long from, int room) {
        int last = used(from, room) - 1;
        OffHeap.putInt(hole, entry(from, last));
        entry(from, last, 0);
        return last == 0;
    }

    /** The address of an entry, or 0. */
    private long find(long line, int value) {
        long at = line;
        int room = ENTRIES;
        int number = link(line);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                if (entry(at, i) == value) {
                    return at + (long) i * Integer.BYTES;
                }
            }
            if (number == 0) {
                return 0;
            }
            Blocks blocks = at(depth);
            at = blocks.address(number);
            room = blocks.entries();
            number = OffHeap.getInt(blocks.link(at));
        }
    }

    /** Takes all entries out. */
    void drain(long line, Entries target) {
        take(line, ENTRIES, target);
        int number = link(line);
        for (int depth = 0; number != 0; depth++) {
            if (depth == SMALL_DEPTH) {
                target.near = target.size;
            }
            Blocks blocks = at(depth);
            long block = blocks.address(number);
            take(block, blocks.entries(), target);
            int next = OffHeap.getInt(blocks.link(block));
            blocks.giveBack(number);
            number = next;
        }
        target.near = Math.min(target.near, target.size);
        OffHeap.clear(line, LINE);
    }

    private static void take(long from, int room, Entries target) {
        for (int i = 0; i < room; i++) {
            int entry = entry(from, i);
            if (entry == 0) {
                return;
            }
            target.add(entry);
        }
    }
}
