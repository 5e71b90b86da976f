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
 * <p>The upper halves of all entries lie together, then the lower ones. The tag that is looked for is mostly in the upper
 * half, so that four words tell whether it is there.
 *
 * <p>It is the largest entries that go to the chain. The link has the number of the first block in its lower bits and
 * above them those of the least entry in the chain, so that of the lookups that meet an overflowing line only those for
 * large tags, one in five or so, follow the link.
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
    private static final int HALF = Short.SIZE;
    private static final long LANES = 0x0001_0001_0001_0001L;
    private static final long LANE_TOPS = 0x8000_8000_8000_8000L;

    /** The last of the four words has a lower half in it. */
    private static final long LAST_LANES = 0x0000_ffff_ffff_ffffL;

    private final Blocks small;
    private final Blocks large;

    Lines(OffHeap memory) {
        this.small = new Blocks(memory, SMALL_ENTRIES);
        this.large = new Blocks(memory, ENTRIES);
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

    /** An entry of a line or block that begins at {@code from} and has {@code room}. */
    private static int entry(long from, int room, int i) {
        long upper = from + (long) i * Short.BYTES;
        return (OffHeap.getShort(upper) << HALF) | OffHeap.getShort(upper + (long) room * Short.BYTES);
    }

    private static void entry(long from, int room, int i, int value) {
        long upper = from + (long) i * Short.BYTES;
        OffHeap.putShort(upper, value >>> HALF);
        OffHeap.putShort(upper + (long) room * Short.BYTES, value);
    }

    /** How many places are taken: all before the first that is 0. */
    private static int used(long from, int room) {
        int taken = 0;
        int free = room;
        while (taken < free) {
            int middle = (taken + free) >>> 1;
            if (entry(from, room, middle) == 0) {
                free = middle;
            } else {
                taken = middle + 1;
            }
        }
        return taken;
    }

    private static int link(long line) {
        return OffHeap.getInt(line + LINK) & LINK_MASK;
    }

    // ---- reading ----

    /**
     * Finds out which places are worth a {@link #collect}, without a branch for the processor to mispredict: in most
     * lookups none is.
     *
     * @param from the first place
     * @param to behind the last; at most 31
     * @param idBits width of the ids at all of these places
     * @return bit i for place i
     */
    static int scan(Places places, int from, int to, int idBits) {
        long mask = mask(idBits);
        long one = one(idBits);
        int ids = ((1 << idBits) - 1) | LINK_MASK;
        int worth = 0;
        for (int i = from; i < to; i++) {
            long line = places.lines[i];
            int tag = places.tags[i];
            long wanted = (tag >>> HALF) * LANES;
            long any = match(OffHeap.getLong(line), wanted, mask, one)
                    | match(OffHeap.getLong(line + 8), wanted, mask, one)
                    | match(OffHeap.getLong(line + 16), wanted, mask, one)
                    | (match(OffHeap.getLong(line + 24), wanted, mask, one) & LAST_LANES);
            long follow = follow(tag | ids, OffHeap.getInt(line + LINK));
            worth |= (any | follow) == 0 ? 0 : 1 << i;
        }
        return worth;
    }

    /** The bits of a tag in its upper half, in all lanes. */
    private static long mask(int idBits) {
        return ((0xffff << Math.max(idBits - HALF, 0)) & 0xffff) * LANES;
    }

    /** The least of those bits. */
    private static long one(int idBits) {
        return LANES << Math.max(idBits - HALF, 0);
    }

    /**
     * Not 0 if the chain may have entries with a tag: if the least entry in the chain is not above {@code largest}, which
     * is the largest entry with that tag that the link can tell from others. No link counts as the highest.
     */
    private static long follow(int largest, int link) {
        return ~(((largest & 0xffffffffL) - ((link - 1) & 0xffffffffL)) >> (Long.SIZE - 1));
    }

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
        long wanted = (tag >>> HALF) * LANES;
        long mask = mask(idBits);
        long one = one(idBits);
        long first = match(OffHeap.getLong(line), wanted, mask, one);
        long second = match(OffHeap.getLong(line + 8), wanted, mask, one);
        long third = match(OffHeap.getLong(line + 16), wanted, mask, one);
        long fourth = match(OffHeap.getLong(line + 24), wanted, mask, one) & LAST_LANES;
        int link = OffHeap.getInt(line + LINK);
        int found = count;
        if ((first | second | third | fourth) != 0) {
            found = copy(line, 0, first, tag, idBits, target, found);
            found = copy(line, 4, second, tag, idBits, target, found);
            found = copy(line, 8, third, tag, idBits, target, found);
            found = copy(line, 12, fourth, tag, idBits, target, found);
        }
        return follow(tag | ((1 << idBits) - 1) | LINK_MASK, link) == 0
                ? found
                : collectChain(link & LINK_MASK, places, i, target, found);
    }

    /** The highest bit of the lanes in which the tag may be the wanted one. */
    private static long match(long word, long wanted, long mask, long one) {
        long difference = (word ^ wanted) & mask;
        return (difference - one) & ~difference & LANE_TOPS;
    }

    private static int copy(long line, int from, long matches, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (long left = matches; left != 0 && found < target.length; left &= left - 1) {
            int id = entry(line, ENTRIES, from + Long.numberOfTrailingZeros(left) / HALF) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
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

    private static int copy(long block, int room, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (int i = 0; i < room && found < target.length; i++) {
            int id = entry(block, room, i) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
    }

    /** Reads from the first blocks of lines that overflow, so that they come nearer. */
    long touchChains(Places places, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            int number = link(places.lines[i]);
            // The first block stands in for none.
            sum += OffHeap.getLong(small.address(Math.max(number, 1)));
        }
        return sum;
    }

    // ---- writing ----

    /** Entries in the line itself. */
    static int used(long line) {
        return used(line, ENTRIES);
    }

    /** Adds an entry to a line of which {@code used} places, and not all, are taken. */
    static void append(long line, int used, int value) {
        entry(line, ENTRIES, used, value);
    }

    /**
     * Adds an entry.
     *
     * @return whether a place in a large block was taken
     */
    boolean add(long line, int value) {
        if (entry(line, ENTRIES, ENTRIES - 1) == 0) {
            entry(line, ENTRIES, used(line, ENTRIES), value);
            return false;
        }
        int largest = largest(line);
        int old = entry(line, ENTRIES, largest);
        if (Integer.compareUnsigned(value, old) < 0) {
            entry(line, ENTRIES, largest, value);
            return addToChain(line, old);
        }
        return addToChain(line, value);
    }

    /** Which entry of a line is the largest, as far as the upper halves tell. */
    private static int largest(long line) {
        int largest = 0;
        int upper = 0;
        for (int i = 0; i < ENTRIES; i++) {
            int other = OffHeap.getShort(line + (long) i * Short.BYTES);
            if (other > upper) {
                upper = other;
                largest = i;
            }
        }
        return largest;
    }

    private boolean addToChain(long line, int value) {
        long linkAt = line + LINK;
        if (OffHeap.getInt(linkAt) == 0) {
            OffHeap.putInt(linkAt, -1 << LINK_BITS);
        }
        lowerLeast(line, value);
        for (int depth = 0; depth < SMALL_DEPTH; depth++) {
            int number = OffHeap.getInt(linkAt) & LINK_MASK;
            if (number == 0) {
                number = small.take();
                OffHeap.putInt(linkAt, OffHeap.getInt(linkAt) | number);
            }
            long block = small.address(number);
            if (entry(block, SMALL_ENTRIES, SMALL_ENTRIES - 1) == 0) {
                entry(block, SMALL_ENTRIES, used(block, SMALL_ENTRIES), value);
                return false;
            }
            linkAt = small.link(block);
        }
        int number = OffHeap.getInt(linkAt);
        if (number == 0 || entry(large.address(number), ENTRIES, ENTRIES - 1) != 0) {
            int taken = large.take();
            OffHeap.putInt(large.link(large.address(taken)), number);
            OffHeap.putInt(linkAt, taken);
            number = taken;
        }
        long block = large.address(number);
        entry(block, ENTRIES, used(block, ENTRIES), value);
        return true;
    }

    /** Notes in the link that the entry may be in the chain. */
    private static void lowerLeast(long line, int value) {
        int link = OffHeap.getInt(line + LINK);
        if (value >>> LINK_BITS < link >>> LINK_BITS) {
            OffHeap.putInt(line + LINK, (value & ~LINK_MASK) | (link & LINK_MASK));
        }
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
                int entry = entry(at, room, i);
                if ((entry ^ tag) >>> idBits == 0 && entry != 0) {
                    if (same == which) {
                        entry(at, room, i, value);
                        lowerLeast(line, value);
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
    boolean replaceIfLong(long line, int value, int choice) {
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
        entry(block, ENTRIES, Math.floorMod(choice, used(block, ENTRIES)), value);
        lowerLeast(line, value);
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
        // The last place is in the deepest small block, or in the first large one.
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
        Blocks blocks = at(depth);
        long last = number == 0 ? line : blocks.address(number);
        int room = number == 0 ? ENTRIES : blocks.entries();
        int used = used(last, room);
        if (used == 0 || !put(line, value, entry(last, room, used - 1))) {
            return Removed.NOTHING;
        }
        entry(last, room, used - 1, 0);
        if (used == 1 && number != 0) {
            // Where the link of the line is the one, nothing follows, and its other bits have to go as well.
            OffHeap.putInt(linkAt, OffHeap.getInt(blocks.link(last)));
            blocks.giveBack(number);
        }
        return number == 0 || depth < SMALL_DEPTH ? Removed.NEAR : Removed.FAR;
    }

    /** Puts an entry in the place of another one; whether that was there. */
    private boolean put(long line, int old, int value) {
        long at = line;
        int room = ENTRIES;
        int number = link(line);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                if (entry(at, room, i) == old) {
                    entry(at, room, i, value);
                    return true;
                }
            }
            if (number == 0) {
                return false;
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
            int entry = entry(from, room, i);
            if (entry == 0) {
                return;
            }
            target.add(entry);
        }
    }
}
