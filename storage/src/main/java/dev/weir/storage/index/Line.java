package dev.weir.storage.index;

/**
 * One cache line of 15 entries of 4 bytes, and a link.
 *
 * <p>The upper halves of all entries lie together, then the lower ones. The tag that is looked for is mostly in the upper
 * half, so that four words tell whether it is there. Blocks of other lengths are laid out the same way. Places are taken
 * from the first on, an entry is never 0.
 *
 * <p>The link is 0, or has the number of a block of further entries below and above it the upper bits of the least entry
 * in the chain that begins with that block. It is the largest entries that {@link Lines} puts there, so that of the lookups
 * that meet an overflowing line only those for large tags, one in five or so, follow the link. The number has 26 bits, or as
 * many as an id if that is more: of the least entry nothing counts but its tag, which lies above.
 */
final class Line {
    static final int BYTES = 64;

    /** Entries in a line. */
    static final int ENTRIES = 15;

    static final long LINK = ENTRIES * Integer.BYTES;

    /** Width of the number of a block where ids are shorter. */
    private static final int LINK_BITS = 26;
    private static final int HALF = Short.SIZE;
    private static final long LANES = 0x0001_0001_0001_0001L;
    private static final long LANE_TOPS = 0x8000_8000_8000_8000L;

    /** The last of the four words has a lower half in it. */
    private static final long LAST_LANES = 0x0000_ffff_ffff_ffffL;

    private Line() {}

    /** An entry of a line or block that begins at {@code from} and has {@code room}. */
    static int entry(long from, int room, int i) {
        long upper = from + (long) i * Short.BYTES;
        return (OffHeap.getShort(upper) << HALF) | OffHeap.getShort(upper + (long) room * Short.BYTES);
    }

    static void entry(long from, int room, int i, int value) {
        long upper = from + (long) i * Short.BYTES;
        OffHeap.putShort(upper, value >>> HALF);
        OffHeap.putShort(upper + (long) room * Short.BYTES, value);
    }

    /** How many places are taken: all before the first that is 0. */
    static int used(long from, int room) {
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

    /** Width of the number of a block in the link of a line, by that of the ids in it. */
    static int linkBits(int idBits) {
        return Math.max(idBits, LINK_BITS);
    }

    /** The bits of that number; also the highest number of a block that begins a chain. */
    static int linkMask(int idBits) {
        return (1 << linkBits(idBits)) - 1;
    }

    /** The number of the first block of the chain, or 0. */
    static int link(long line, int idBits) {
        return OffHeap.getInt(line + LINK) & linkMask(idBits);
    }

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
        int ids = linkMask(idBits);
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

    /** Copies the ids of the entries in the line that begin with a tag, as far as there is room. */
    static int collect(long line, int tag, int idBits, int[] target, int count) {
        long wanted = (tag >>> HALF) * LANES;
        long mask = mask(idBits);
        long one = one(idBits);
        long first = match(OffHeap.getLong(line), wanted, mask, one);
        long second = match(OffHeap.getLong(line + 8), wanted, mask, one);
        long third = match(OffHeap.getLong(line + 16), wanted, mask, one);
        long fourth = match(OffHeap.getLong(line + 24), wanted, mask, one) & LAST_LANES;
        int found = count;
        if ((first | second | third | fourth) != 0) {
            found = copyLanes(line, 0, first, tag, idBits, target, found);
            found = copyLanes(line, 4, second, tag, idBits, target, found);
            found = copyLanes(line, 8, third, tag, idBits, target, found);
            found = copyLanes(line, 12, fourth, tag, idBits, target, found);
        }
        return found;
    }

    /** Whether the chain may have entries with a tag. */
    static boolean isChainWorth(long line, int tag, int idBits) {
        return follow(tag | linkMask(idBits), OffHeap.getInt(line + LINK)) != 0;
    }

    /** The highest bit of the lanes in which the tag may be the wanted one. */
    private static long match(long word, long wanted, long mask, long one) {
        long difference = (word ^ wanted) & mask;
        return (difference - one) & ~difference & LANE_TOPS;
    }

    private static int copyLanes(long line, int from, long matches, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (long left = matches; left != 0 && found < target.length; left &= left - 1) {
            int id = entry(line, ENTRIES, from + Long.numberOfTrailingZeros(left) / HALF) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
    }

    /** Copies the ids of the entries of a block that begin with a tag, as far as there is room. */
    static int copy(long block, int room, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (int i = 0; i < room && found < target.length; i++) {
            int id = entry(block, room, i) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
    }

    /** Places that are taken in the line itself. */
    static int used(long line) {
        return used(line, ENTRIES);
    }

    /** Adds an entry to a line of which {@code used} places, and not all, are taken. */
    static void append(long line, int used, int value) {
        entry(line, ENTRIES, used, value);
    }

    /** Which entry of a line is the largest, as far as the upper halves tell. */
    static int largest(long line) {
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

    /** Notes in the link that the entry may be in the chain. */
    static void lowerLeast(long line, int value, int idBits) {
        int link = OffHeap.getInt(line + LINK);
        int bits = linkBits(idBits);
        if (value >>> bits < link >>> bits) {
            int mask = linkMask(idBits);
            OffHeap.putInt(line + LINK, (value & ~mask) | (link & mask));
        }
    }
}
