package dev.weir.storage.index;

import java.util.Arrays;

/**
 * The ids that a lookup has met. A fixed hash set that is emptied by forgetting what it was stamped with, so that a lookup
 * which meets three of them does not pay for the room for two thousand.
 */
final class SeenIds {
    /** The stamp above the id. */
    private final long[] places;
    private final int shift;
    private final int most;
    private int stamp;
    private int size;

    /** A set for up to {@code room} different ids. */
    SeenIds(int room) {
        this.places = new long[Integer.highestOneBit(Math.max(room, 2) * 2 - 1) << 1];
        this.shift = Integer.numberOfLeadingZeros(places.length - 1);
        this.most = room;
    }

    void clear() {
        size = 0;
        stamp++;
        if (stamp == 0) {
            Arrays.fill(places, 0);
            stamp = 1;
        }
    }

    /** Whether it is a new one; when there is no more room, none is. */
    boolean add(int id) {
        long wanted = (long) stamp << Integer.SIZE | (id & 0xffffffffL);
        // Ids are small dense numbers: a multiplication spreads them.
        int place = (id * 0x9e3779b9) >>> shift;
        while (places[place] >>> Integer.SIZE == (stamp & 0xffffffffL)) {
            if (places[place] == wanted) {
                return false;
            }
            place = (place + 1) & (places.length - 1);
        }
        if (size == most) {
            return false;
        }
        places[place] = wanted;
        size++;
        return true;
    }
}
