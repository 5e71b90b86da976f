package dev.weir.storage.stats;

import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;

/**
 * What was counted by address, of a bounded number of addresses: one thread counts, any may look.
 *
 * <p>Sets of {@value #WAYS} places; an address belongs to one set by a keyed hash. The table doubles as sets fill up,
 * until it has {@value #MAX_ENTRIES} places or the budget of all tables is spent; from then on an address displaces the
 * one of its set that was seen longest ago, whose counts are forgotten here (but not in the sums of the key).
 *
 * <p>A place has a stamp, odd while its address changes. Who looks reads the stamp before and after: if it changed, the
 * address was just displaced and is left out.
 */
final class AddressTable {
    /** The most addresses of one key, as in Rspamd. */
    static final int MAX_ENTRIES = 1_024;

    static final int WAYS = 8;
    private static final int FIRST_SETS = 4;

    /** Number in a place: stamp, address, then the counts. */
    private static final int STAMP = 0;
    private static final int HIGH = 1;
    private static final int LOW = 2;
    private static final int COUNTS = 3;
    static final int STRIDE = COUNTS + Counts.FIELDS;

    private final KeyedHash keyed;
    private final AtomicInteger budget;
    private volatile Cells cells = new Cells(0);

    // Only for the thread that counts.
    private Cells mine = cells;
    private int sets;
    private long[] used = {};
    private long clock;

    /**
     * An empty table.
     *
     * @param budget places that all tables together may still take; what this one takes is taken off
     */
    AddressTable(KeyedHash keyed, AtomicInteger budget) {
        this.keyed = keyed;
        this.budget = budget;
    }

    /** Counts one more of something for an address; a negative {@code field} only remembers the address. */
    void increment(long high, long low, int field) {
        int at = find(high, low);
        if (at >= 0 && field >= 0) {
            mine.increment(at * STRIDE + COUNTS + field);
        }
    }

    private int find(long high, long low) {
        if (sets == 0 && !grow()) {
            return -1;
        }
        clock++;
        while (true) {
            int first = set(high, low, sets) * WAYS;
            int oldest = first;
            for (int at = first; at < first + WAYS; at++) {
                int base = at * STRIDE;
                if (used[at] != 0 && mine.get(base + LOW) == low && mine.get(base + HIGH) == high) {
                    used[at] = clock;
                    return at;
                }
                if (used[at] < used[oldest]) {
                    oldest = at;
                }
            }
            if (used[oldest] == 0 || !grow()) {
                put(oldest, high, low);
                return oldest;
            }
        }
    }

    private void put(int at, long high, long low) {
        int base = at * STRIDE;
        long stamp = mine.get(base + STAMP);
        mine.set(base + STAMP, stamp + 1);
        VarHandle.releaseFence();
        mine.set(base + HIGH, high);
        mine.set(base + LOW, low);
        for (int i = 0; i < Counts.FIELDS; i++) {
            mine.set(base + COUNTS + i, 0);
        }
        VarHandle.releaseFence();
        mine.set(base + STAMP, stamp + 2);
        used[at] = clock;
    }

    /** Doubles the table; false if it has its size for good. */
    private boolean grow() {
        int more = sets == 0 ? FIRST_SETS * WAYS : sets * WAYS;
        if (sets * WAYS + more > MAX_ENTRIES || budget.get() < more) {
            return false;
        }
        budget.addAndGet(-more);
        int newSets = sets + more / WAYS;
        Cells grown = new Cells(newSets * WAYS * STRIDE);
        long[] newUsed = new long[newSets * WAYS];
        for (int at = 0; at < used.length; at++) {
            if (used[at] != 0) {
                int base = at * STRIDE;
                int target = set(mine.get(base + HIGH), mine.get(base + LOW), newSets) * WAYS;
                // Twice the sets out of one hash: what shared a set shares one of two, so there is room.
                while (newUsed[target] != 0) {
                    target++;
                }
                grown.set(target * STRIDE + STAMP, 2);
                for (int i = HIGH; i < STRIDE; i++) {
                    grown.set(target * STRIDE + i, mine.get(base + i));
                }
                newUsed[target] = used[at];
            }
        }
        mine = grown;
        used = newUsed;
        sets = newSets;
        cells = grown;
        return true;
    }

    private int set(long high, long low, int count) {
        return (int) keyed.hash(high, low) & (count - 1);
    }

    /** Places that the table has taken off the budget. Any thread may ask. */
    int places() {
        return cells.size() / STRIDE;
    }

    /** Adds what was counted to what others counted. Any thread may ask. */
    void addTo(Map<InetAddress, Counts> target) {
        Cells now = cells;
        for (int base = 0; base < now.size(); base += STRIDE) {
            long stamp = now.get(base + STAMP);
            VarHandle.acquireFence();
            long high = now.get(base + HIGH);
            long low = now.get(base + LOW);
            Counts counts = Counts.read(now, base + COUNTS);
            VarHandle.acquireFence();
            if (stamp != 0 && stamp % 2 == 0 && now.get(base + STAMP) == stamp) {
                target.merge(AddressBits.address(high, low), counts, Counts::plus);
            }
        }
    }
}
