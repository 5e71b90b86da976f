package dev.weir.storage.stats;

import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;

/**
 * A table of counts for a bounded number of addresses. One thread counts; any thread may read.
 *
 * <p>The table is set-associative with {@value #WAYS} slots per set; a keyed hash maps an address to its set. The table
 * doubles as sets fill up, until it has {@value #MAX_ENTRIES} slots or the shared budget of all tables is spent. After
 * that, a new address evicts the least recently seen address of its set. The evicted counts are lost here, but not in
 * the totals of the key.
 *
 * <p>Each slot has a stamp, which is odd while the address changes. A reader compares the stamp before and after
 * reading. If it changed, the address was just evicted and the reader skips it.
 */
final class AddressTable {
    /** The most addresses for one key, as in Rspamd. */
    static final int MAX_ENTRIES = 1_024;

    static final int WAYS = 8;
    private static final int FIRST_SETS = 4;

    /** Offsets in a slot: stamp, address, then the counts. */
    private static final int STAMP = 0;
    private static final int HIGH = 1;
    private static final int LOW = 2;
    private static final int COUNTS = 3;
    static final int STRIDE = COUNTS + Counts.FIELDS;

    private final KeyedHash keyed;
    private final AtomicInteger budget;
    private volatile Cells cells = new Cells(0);

    // Used only by the counting thread.
    private Cells mine = cells;
    private int sets;
    private long[] used = {};
    private long clock;

    /**
     * Creates an empty table.
     *
     * @param budget the slots that all tables together may still allocate; this table subtracts what it allocates
     */
    AddressTable(KeyedHash keyed, AtomicInteger budget) {
        this.keyed = keyed;
        this.budget = budget;
    }

    /** Increments a count of an address. A negative {@code field} only remembers the address. */
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

    /** Doubles the table. Returns false if it has reached its final size. */
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
                // Doubling splits each set in two by one more bit of the hash, so there is always room.
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

    /** Returns the number of slots charged to the budget. Any thread may call this. */
    int places() {
        return cells.size() / STRIDE;
    }

    /** Adds the counts of this table to a map. Any thread may call this. */
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
