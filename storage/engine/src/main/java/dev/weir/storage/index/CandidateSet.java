package dev.weir.storage.index;

import java.util.Arrays;

/**
 * A hash set of the candidate ids that a lookup has met, with a fixed capacity. A new stamp empties it, so a lookup
 * with three candidates does not pay for clearing room for two thousand.
 */
final class CandidateSet {
    /** The stamp above the id. */
    private final long[] slots;
    private final int shift;
    private final int most;
    private int stamp;
    private int size;

    /** Creates a set for up to {@code room} different ids. */
    CandidateSet(int room) {
        this.slots = new long[Integer.highestOneBit(Math.max(room, 2) * 2 - 1) << 1];
        this.shift = Integer.numberOfLeadingZeros(slots.length - 1);
        this.most = room;
    }

    void clear() {
        size = 0;
        stamp++;
        if (stamp == 0) {
            Arrays.fill(slots, 0);
            stamp = 1;
        }
    }

    /** Adds an id and returns whether it is new. A full set returns false for every id. */
    boolean add(int id) {
        long wanted = (long) stamp << Integer.SIZE | (id & 0xffffffffL);
        // Ids are small dense numbers: a multiplication spreads them.
        int slot = (id * 0x9e3779b9) >>> shift;
        while (slots[slot] >>> Integer.SIZE == (stamp & 0xffffffffL)) {
            if (slots[slot] == wanted) {
                return false;
            }
            slot = (slot + 1) & (slots.length - 1);
        }
        if (size == most) {
            return false;
        }
        slots[slot] = wanted;
        size++;
        return true;
    }
}
