package dev.weir.storage.index;

/**
 * From a 32-bit hash to the ids that have it: a multimap in one array, open addressing with linear probing.
 *
 * <p>An entry is a long, the hash above and id + 1 below, so that growing and deleting never have to look at what the
 * ids stand for. At most two thirds of the places are taken. Deleting shifts the following entries back, so there are
 * no tombstones and an empty place always ends a search.
 *
 * <p>One writer; readers may read while it writes. They never fail or loop then, but what they get is only true if the
 * caller finds afterwards that nothing was written meanwhile (see {@link HashIndex}). Growing is done in two steps, so
 * that the long one, {@link #grown}, needs no lock.
 */
final class IdTable {
    private static final int SMALLEST = 1 << 6;

    /** The largest array of a power of two; at two thirds full that is 715 million entries. */
    private static final int LARGEST = 1 << 30;

    private volatile long[] entries;
    private int size;

    IdTable(long expected) {
        long capacity = SMALLEST;
        while (capacity < LARGEST && expected > limit(capacity)) {
            capacity <<= 1;
        }
        this.entries = new long[(int) capacity];
    }

    private static long limit(long capacity) {
        return capacity / 3 * 2;
    }

    private static int home(long[] table, int hash) {
        // The table has 2^k places: the top k bits choose one.
        return hash >>> Integer.numberOfLeadingZeros(table.length - 1);
    }

    private static int hashOf(long entry) {
        return (int) (entry >>> 32);
    }

    private static int idOf(long entry) {
        return (int) entry - 1;
    }

    private static long entry(int hash, int id) {
        return ((long) hash << 32) | ((id + 1) & 0xffffffffL);
    }

    int size() {
        return size;
    }

    int capacity() {
        return entries.length;
    }

    /** Copies up to {@code limit} ids with this hash and returns how many. */
    int collect(int hash, int[] target, int limit) {
        long[] table = entries;
        int last = table.length - 1;
        int place = home(table, hash);
        int found = 0;
        // Bounded by the table even when a write is under way and no empty place comes.
        for (int step = 0; step <= last && found < limit; step++) {
            long entry = table[place];
            if (entry == 0) {
                break;
            }
            if (hashOf(entry) == hash) {
                target[found++] = idOf(entry);
            }
            place = (place + 1) & last;
        }
        return found;
    }

    /** Whether one more entry needs a larger table first. */
    boolean full() {
        return size + 1 > limit(entries.length);
    }

    /**
     * A table twice as large with the same entries, not yet in use.
     *
     * @throws IllegalStateException if there is no larger one
     */
    long[] grown() {
        long[] old = entries;
        if (old.length >= LARGEST) {
            throw new IllegalStateException("the memory index is full");
        }
        long[] table = new long[old.length << 1];
        int last = table.length - 1;
        for (long entry : old) {
            if (entry != 0) {
                int place = home(table, hashOf(entry));
                while (table[place] != 0) {
                    place = (place + 1) & last;
                }
                table[place] = entry;
            }
        }
        return table;
    }

    /** Puts the result of {@link #grown} to use. */
    void install(long[] table) {
        entries = table;
    }

    /** Adds an entry; the caller has made room. */
    void add(int hash, int id) {
        long[] table = entries;
        int last = table.length - 1;
        int place = home(table, hash);
        while (table[place] != 0) {
            place = (place + 1) & last;
        }
        table[place] = entry(hash, id);
        size++;
    }

    /**
     * Adds an entry unless {@code bound} entries with this hash are there, in which case one of those, chosen by
     * {@code choice}, gives its place.
     *
     * @return whether another one had to go
     */
    boolean addBounded(int hash, int id, int bound, int choice) {
        long[] table = entries;
        int last = table.length - 1;
        int victim = Math.floorMod(choice, bound);
        int victimPlace = -1;
        int same = 0;
        int place = home(table, hash);
        while (table[place] != 0) {
            if (hashOf(table[place]) == hash) {
                if (same == victim) {
                    victimPlace = place;
                }
                same++;
            }
            place = (place + 1) & last;
        }
        if (same < bound) {
            table[place] = entry(hash, id);
            size++;
            return false;
        }
        table[victimPlace] = entry(hash, id);
        return true;
    }

    /** Removes an entry; one that is not there is left alone. */
    void remove(int hash, int id) {
        long[] table = entries;
        int last = table.length - 1;
        long wanted = entry(hash, id);
        int hole = home(table, hash);
        while (table[hole] != wanted) {
            if (table[hole] == 0) {
                return;
            }
            hole = (hole + 1) & last;
        }
        for (int place = (hole + 1) & last; table[place] != 0; place = (place + 1) & last) {
            int home = home(table, hashOf(table[place]));
            // Move the entry back unless its home lies behind the hole.
            if (((place - home) & last) >= ((place - hole) & last)) {
                table[hole] = table[place];
                hole = place;
            }
        }
        table[hole] = 0;
        size--;
    }
}
