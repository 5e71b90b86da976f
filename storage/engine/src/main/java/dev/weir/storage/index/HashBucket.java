package dev.weir.storage.index;

/**
 * The layout of one bucket: a cache line with 15 entries of 4 bytes and a link to the overflow chain.
 *
 * <p>The upper halves of all entries come first, then the lower halves. Most bits of a tag are in the upper half, so
 * four words show whether a tag is present. Overflow blocks of other lengths have the same layout. Entries fill a
 * bucket from the first place; an entry is never 0.
 *
 * <p>The link is 0 or has two parts. The lower part is the number of the first overflow block. The upper part has the
 * upper bits of the least entry in the chain. {@link BucketChains} moves the largest entries to the chain, so most
 * lookups that meet an overflowing bucket need not follow the link. The number has 26 bits, or as many as an id if that
 * is more. Only the tag of the least entry counts, and it lies above.
 */
final class HashBucket {
    static final int BYTES = 64;

    /** Entries in a bucket. */
    static final int ENTRIES = 15;

    static final long LINK = ENTRIES * Integer.BYTES;

    /** Width of a block number where ids are shorter. */
    private static final int LINK_BITS = 26;
    private static final int HALF = Short.SIZE;
    private static final long LANES = 0x0001_0001_0001_0001L;
    private static final long LANE_TOPS = 0x8000_8000_8000_8000L;

    /** The last of the four words contains one lower half. */
    private static final long LAST_LANES = 0x0000_ffff_ffff_ffffL;

    private HashBucket() {}

    /** Returns an entry of a bucket or block that begins at {@code from} and has room for {@code room} entries. */
    static int entry(long from, int room, int i) {
        long upper = from + (long) i * Short.BYTES;
        return (OffHeapArena.getShort(upper) << HALF) | OffHeapArena.getShort(upper + (long) room * Short.BYTES);
    }

    static void entry(long from, int room, int i, int value) {
        long upper = from + (long) i * Short.BYTES;
        OffHeapArena.putShort(upper, value >>> HALF);
        OffHeapArena.putShort(upper + (long) room * Short.BYTES, value);
    }

    /** Returns the number of entries: all before the first 0. */
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

    /** Returns the width of a block number in the link of a bucket whose ids have {@code idBits} bits. */
    static int linkBits(int idBits) {
        return Math.max(idBits, LINK_BITS);
    }

    /** Returns the bits of that number, which is also the highest number of a block that begins a chain. */
    static int linkMask(int idBits) {
        return (1 << linkBits(idBits)) - 1;
    }

    /** Returns the number of the first overflow block, or 0. */
    static int link(long bucket, int idBits) {
        return OffHeapArena.getInt(bucket + LINK) & linkMask(idBits);
    }

    /**
     * Finds the probes that may have a match, so that {@link #collect} is worth calling. The loop has no branch that
     * the processor could mispredict; most lookups have no match.
     *
     * @param from the first probe
     * @param to behind the last; at most 31
     * @param idBits width of the ids in all of these buckets
     * @return bit i for probe i
     */
    static int scan(BucketProbes probes, int from, int to, int idBits) {
        long mask = mask(idBits);
        long one = one(idBits);
        int ids = linkMask(idBits);
        int worth = 0;
        for (int i = from; i < to; i++) {
            long bucket = probes.addresses[i];
            int tag = probes.tags[i];
            long wanted = (tag >>> HALF) * LANES;
            long any = match(OffHeapArena.getLong(bucket), wanted, mask, one)
                    | match(OffHeapArena.getLong(bucket + 8), wanted, mask, one)
                    | match(OffHeapArena.getLong(bucket + 16), wanted, mask, one)
                    | (match(OffHeapArena.getLong(bucket + 24), wanted, mask, one) & LAST_LANES);
            long follow = follow(tag | ids, OffHeapArena.getInt(bucket + LINK));
            worth |= (any | follow) == 0 ? 0 : 1 << i;
        }
        return worth;
    }

    /** Returns the tag bits of the upper half, in all lanes. */
    private static long mask(int idBits) {
        return ((0xffff << Math.max(idBits - HALF, 0)) & 0xffff) * LANES;
    }

    /** Returns the least of these bits, in all lanes. */
    private static long one(int idBits) {
        return LANES << Math.max(idBits - HALF, 0);
    }

    /**
     * Returns a value other than 0 if the chain may have entries with a tag. That is so if its least entry is not above
     * {@code largest}, the largest entry with that tag that the link can distinguish. No link counts as the highest.
     */
    private static long follow(int largest, int link) {
        return ~(((largest & 0xffffffffL) - ((link - 1) & 0xffffffffL)) >> (Long.SIZE - 1));
    }

    /** Copies the ids of all entries of the bucket with a tag, as far as there is room. */
    static int collect(long bucket, int tag, int idBits, int[] target, int count) {
        long wanted = (tag >>> HALF) * LANES;
        long mask = mask(idBits);
        long one = one(idBits);
        long first = match(OffHeapArena.getLong(bucket), wanted, mask, one);
        long second = match(OffHeapArena.getLong(bucket + 8), wanted, mask, one);
        long third = match(OffHeapArena.getLong(bucket + 16), wanted, mask, one);
        long fourth = match(OffHeapArena.getLong(bucket + 24), wanted, mask, one) & LAST_LANES;
        int found = count;
        if ((first | second | third | fourth) != 0) {
            found = copyLanes(bucket, 0, first, tag, idBits, target, found);
            found = copyLanes(bucket, 4, second, tag, idBits, target, found);
            found = copyLanes(bucket, 8, third, tag, idBits, target, found);
            found = copyLanes(bucket, 12, fourth, tag, idBits, target, found);
        }
        return found;
    }

    /** Returns whether the overflow chain may have entries with a tag. */
    static boolean isChainWorth(long bucket, int tag, int idBits) {
        return follow(tag | linkMask(idBits), OffHeapArena.getInt(bucket + LINK)) != 0;
    }

    /** Returns the highest bit of each lane in which the tag may be the wanted one. */
    private static long match(long word, long wanted, long mask, long one) {
        long difference = (word ^ wanted) & mask;
        return (difference - one) & ~difference & LANE_TOPS;
    }

    private static int copyLanes(long bucket, int from, long matches, int tag, int idBits, int[] target, int count) {
        int found = count;
        for (long left = matches; left != 0 && found < target.length; left &= left - 1) {
            int id = entry(bucket, ENTRIES, from + Long.numberOfTrailingZeros(left) / HALF) ^ tag;
            if (id >>> idBits == 0 && id != 0) {
                target[found++] = id;
            }
        }
        return found;
    }

    /** Copies the ids of all entries of a block with a tag, as far as there is room. */
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

    /** Returns the number of entries in the bucket itself, without a branch that the processor could mispredict. */
    static int used(long bucket) {
        long lower = bucket + (long) ENTRIES * Short.BYTES;
        return places(OffHeapArena.getLong(bucket) | OffHeapArena.getLong(lower))
                + places(OffHeapArena.getLong(bucket + 8) | OffHeapArena.getLong(lower + 8))
                + places(OffHeapArena.getLong(bucket + 16) | OffHeapArena.getLong(lower + 16))
                + places((OffHeapArena.getLong(bucket + 24) | OffHeapArena.getLong(lower + 24)) & LAST_LANES);
    }

    /** Returns how many lanes are not 0. */
    private static int places(long word) {
        return Long.bitCount((((word & ~LANE_TOPS) + ~LANE_TOPS) | word) & LANE_TOPS);
    }

    /** Adds an entry to a bucket that has {@code used} entries and room for another one. */
    static void append(long bucket, int used, int value) {
        entry(bucket, ENTRIES, used, value);
    }

    /** Returns the place of the largest entry of a bucket, compared by the upper halves. */
    static int largest(long bucket) {
        int largest = 0;
        int upper = 0;
        for (int i = 0; i < ENTRIES; i++) {
            int other = OffHeapArena.getShort(bucket + (long) i * Short.BYTES);
            if (other > upper) {
                upper = other;
                largest = i;
            }
        }
        return largest;
    }

    /** Lowers the least entry in the link, if necessary, for an entry that goes to the chain. */
    static void lowerLeast(long bucket, int value, int idBits) {
        int link = OffHeapArena.getInt(bucket + LINK);
        int bits = linkBits(idBits);
        if (value >>> bits < link >>> bits) {
            int mask = linkMask(idBits);
            OffHeapArena.putInt(bucket + LINK, (value & ~mask) | (link & mask));
        }
    }
}
