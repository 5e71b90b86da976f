package dev.weir.storage.index;

import java.io.IOException;

/**
 * Bags of entries, one cache line each, that may overflow.
 *
 * <p>The entries that find no place in a {@link Line} are in blocks chained to it: the
 * first three of a chain have room for 3 entries (16 bytes), all others for 15 (64 bytes). Most chains are one small block;
 * large ones belong to values that many hashes share. All places are taken but for the last of the line, or if it has a
 * chain, the last of the deepest small block or of the first large one: there entries are added, and from there the hole
 * is filled that a removed one leaves. An entry is never 0.
 */
final class Lines {
    /** Blocks of a chain beyond which {@link #replaceIfLong} says so. */
    static final int MANY_BLOCKS = 64;

    /** Where a reader stops who follows a chain that is being changed. */
    private static final int ENDLESS = 4096;

    /** More blocks of each kind than one update can use, with the lines that it moves. */
    private static final int RESERVE = 512;

    /** As many as one update takes itself: one for each entry, and one more. */
    private static final int FOR_UPDATE = Fingerprints.PAIRS + 1;

    private static final int SMALL_DEPTH = 3;
    private static final int SMALL_ENTRIES = 3;

    private final Blocks small;
    private final Blocks large;

    Lines(OffHeap memory) {
        this(memory, 0);
    }

    /** The same; links begin with the number behind {@code before}, as if there were so many blocks already. */
    Lines(OffHeap memory, int before) {
        this.small = new Blocks(memory, SMALL_ENTRIES, before);
        this.large = new Blocks(memory, Line.ENTRIES, 0);
    }

    /**
     * Makes room for what some updates can need; needs no lock.
     *
     * @param idBits the least width of the ids in a line
     * @throws IndexFullException if links cannot tell more blocks apart, or there is no memory for them
     */
    void reserve(long updates, int idBits) {
        long count = RESERVE + updates * FOR_UPDATE;
        small.reserve(count, Line.linkMask(idBits));
        large.reserve(count, Integer.MAX_VALUE - 1);
    }

    /** Blocks that links name, free ones too. */
    int named() {
        return small.bound() - 1;
    }

    private Blocks at(int depth) {
        return depth < SMALL_DEPTH ? small : large;
    }

    /** Bytes of all blocks. */
    long bytes() {
        return small.bytes() + large.bytes();
    }

    /** Writes the blocks. */
    void save(SnapshotWriter out) throws IOException {
        small.save(out);
        large.save(out);
    }

    void restore(SnapshotReader in) throws IOException {
        small.restore(in);
        large.restore(in);
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
        int found = Line.collect(line, tag, idBits, target, count);
        return Line.isChainWorth(line, tag, idBits)
                ? collectChain(Line.link(line, idBits), places, i, target, found)
                : found;
    }

    private int collectChain(int first, Places places, int i, int[] target, int count) {
        int found = count;
        int number = first;
        int depth = 0;
        for (; number != 0 && depth < ENDLESS; depth++) {
            Blocks blocks = at(depth);
            long block = blocks.address(number);
            found = Line.copy(block, blocks.entries(), places.tags[i], places.idBits[i], target, found);
            number = OffHeap.getInt(blocks.link(block));
        }
        places.blocks += depth;
        return found;
    }

    /** Reads from the first blocks of lines that overflow, so that they come nearer. */
    long touchChains(Places places, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            int number = Line.link(places.lines[i], places.idBits[i]);
            // The first block stands in for none.
            sum += OffHeap.getLong(small.address(Math.max(number, 1)));
        }
        return sum;
    }

    // ---- writing ----

    /**
     * Adds an entry.
     *
     * @return whether a place in a large block was taken
     */
    boolean add(long line, int value, int idBits) {
        if (Line.entry(line, Line.ENTRIES, Line.ENTRIES - 1) == 0) {
            Line.entry(line, Line.ENTRIES, Line.used(line, Line.ENTRIES), value);
            return false;
        }
        int largest = Line.largest(line);
        int old = Line.entry(line, Line.ENTRIES, largest);
        if (Integer.compareUnsigned(value, old) < 0) {
            Line.entry(line, Line.ENTRIES, largest, value);
            return addToChain(line, old, idBits);
        }
        return addToChain(line, value, idBits);
    }

    private boolean addToChain(long line, int value, int idBits) {
        long linkAt = line + Line.LINK;
        if (OffHeap.getInt(linkAt) == 0) {
            OffHeap.putInt(linkAt, ~Line.linkMask(idBits));
        }
        Line.lowerLeast(line, value, idBits);
        for (int depth = 0; depth < SMALL_DEPTH; depth++) {
            int number = OffHeap.getInt(linkAt) & (depth == 0 ? Line.linkMask(idBits) : -1);
            if (number == 0) {
                number = small.take();
                OffHeap.putInt(linkAt, OffHeap.getInt(linkAt) | number);
            }
            long block = small.address(number);
            if (Line.entry(block, SMALL_ENTRIES, SMALL_ENTRIES - 1) == 0) {
                Line.entry(block, SMALL_ENTRIES, Line.used(block, SMALL_ENTRIES), value);
                return false;
            }
            linkAt = small.link(block);
        }
        int number = OffHeap.getInt(linkAt);
        if (number == 0 || Line.entry(large.address(number), Line.ENTRIES, Line.ENTRIES - 1) != 0) {
            int taken = large.take();
            OffHeap.putInt(large.link(large.address(taken)), number);
            OffHeap.putInt(linkAt, taken);
            number = taken;
        }
        long block = large.address(number);
        Line.entry(block, Line.ENTRIES, Line.used(block, Line.ENTRIES), value);
        return true;
    }

    /** Whether the line has large blocks at all: otherwise there are at most 24 entries. */
    boolean isCrowded(long line, int idBits) {
        int number = Line.link(line, idBits);
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
        int room = Line.ENTRIES;
        int number = Line.link(line, idBits);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                int entry = Line.entry(at, room, i);
                if ((entry ^ tag) >>> idBits == 0 && entry != 0) {
                    if (same == which) {
                        Line.entry(at, room, i, value);
                        Line.lowerLeast(line, value, idBits);
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
    boolean replaceIfLong(long line, int value, int idBits, int choice) {
        int number = Line.link(line, idBits);
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
        Line.entry(block, Line.ENTRIES, Math.floorMod(choice, Line.used(block, Line.ENTRIES)), value);
        Line.lowerLeast(line, value, idBits);
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
    Removed remove(long line, int value, int idBits) {
        // The last place is in the deepest small block, or in the first large one.
        long linkAt = line + Line.LINK;
        int number = Line.link(line, idBits);
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
        int room = number == 0 ? Line.ENTRIES : blocks.entries();
        int used = Line.used(last, room);
        if (used == 0 || !put(line, idBits, value, Line.entry(last, room, used - 1))) {
            return Removed.NOTHING;
        }
        Line.entry(last, room, used - 1, 0);
        if (used == 1 && number != 0) {
            // Where the link of the line is the one, nothing follows, and its other bits have to go as well.
            OffHeap.putInt(linkAt, OffHeap.getInt(blocks.link(last)));
            blocks.giveBack(number);
        }
        return number == 0 || depth < SMALL_DEPTH ? Removed.NEAR : Removed.FAR;
    }

    /** Puts an entry in the place of another one; whether that was there. */
    private boolean put(long line, int idBits, int old, int value) {
        long at = line;
        int room = Line.ENTRIES;
        int number = Line.link(line, idBits);
        for (int depth = 0;; depth++) {
            for (int i = 0; i < room; i++) {
                if (Line.entry(at, room, i) == old) {
                    Line.entry(at, room, i, value);
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
    void drain(long line, int idBits, Entries target) {
        take(line, Line.ENTRIES, target);
        int number = Line.link(line, idBits);
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
        OffHeap.clear(line, Line.BYTES);
    }

    private static void take(long from, int room, Entries target) {
        for (int i = 0; i < room; i++) {
            int entry = Line.entry(from, room, i);
            if (entry == 0) {
                return;
            }
            target.add(entry);
        }
    }
}
