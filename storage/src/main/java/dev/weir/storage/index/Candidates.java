package dev.weir.storage.index;

import java.util.Arrays;

/**
 * Counts in how many posting lists an id occurs. A fixed hash set that is emptied by forgetting what it was stamped
 * with, so that a lookup which finds three candidates does not pay for the room for two thousand.
 */
final class Candidates {
    private final int[] keys;
    private final int[] stamps;
    private final int[] places;
    private final int[] ids;
    private final int[] counts;
    private int stamp;
    private int size;

    /** A set for up to {@code most} different ids. */
    Candidates(int most) {
        int capacity = Integer.highestOneBit(Math.max(most, 2) * 2 - 1) << 1;
        this.keys = new int[capacity];
        this.stamps = new int[capacity];
        this.places = new int[capacity];
        this.ids = new int[most];
        this.counts = new int[most];
    }

    void clear() {
        size = 0;
        stamp++;
        if (stamp == 0) {
            Arrays.fill(stamps, 0);
            stamp = 1;
        }
    }

    void add(int id) {
        int last = keys.length - 1;
        // Ids are small dense numbers: a multiplication spreads them.
        int place = (id * 0x9e3779b9) >>> Integer.numberOfLeadingZeros(last);
        while (stamps[place] == stamp) {
            if (keys[place] == id) {
                counts[places[place]]++;
                return;
            }
            place = (place + 1) & last;
        }
        if (size == ids.length) {
            return;
        }
        stamps[place] = stamp;
        keys[place] = id;
        places[place] = size;
        ids[size] = id;
        counts[size] = 1;
        size++;
    }

    int size() {
        return size;
    }

    int id(int i) {
        return ids[i];
    }

    int count(int i) {
        return counts[i];
    }
}
