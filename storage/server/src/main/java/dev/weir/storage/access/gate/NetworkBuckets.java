package dev.weir.storage.access.gate;

import java.util.Arrays;
import java.util.function.Consumer;

import dev.weir.model.KeyedHash;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;

/**
 * A fixed-size table of leaky buckets for networks (docs/reference/storage.md#limits-of-networks). Thread-safe;
 * {@link #add} neither allocates nor blocks.
 *
 * <p>The table is set-associative with {@value #WAYS} slots per set. A keyed hash maps a network to its set, so clients
 * cannot target a set. If the set is full, a new network evicts the least recently seen network, preferring those
 * within their limit. A refused client therefore cannot clear its entry with forged addresses until those are refused
 * too. Networks spread unevenly over the sets, so some are evicted before the whole table is full.
 *
 * <p>As in Rspamd, a network over the limit is refused until its entry reaches the time to live, even if the bucket
 * would have drained earlier. The entry then starts over with an empty bucket.
 */
final class NetworkBuckets {
    /** The result of adding a request. */
    enum Verdict {
        /** The request is within the limit. */
        PASS,
        /** The request is the first one over the limit. */
        FIRST_OVER,
        /** The request is over the limit, like earlier ones. */
        OVER
    }

    /**
     * A snapshot of one bucket.
     *
     * @param high the first half of the network's first address
     * @param low the second half of that address
     * @param level the number of requests in the bucket, or NaN if the network is over its limit
     * @param last the time of the last request that passed or of the first one over the limit, in milliseconds since
     *            the epoch
     * @param created the time of the first request in milliseconds since the epoch
     */
    record Entry(long high, long low, double level, long last, long created) {}

    private static final int WAYS = 8;
    private static final long FREE = Long.MIN_VALUE;

    private final int sets;
    private final KeyedHash keyed;
    private final Guards guards;
    private final long[] highs;
    private final long[] lows;
    private final double[] levels;
    private final long[] lasts;
    private final long[] created;

    /**
     * Creates an empty table.
     *
     * @param buckets the minimum number of slots, 1..{@link NetworkLimit#MAX_BUCKETS}
     */
    NetworkBuckets(int buckets, KeyedHash keyed) {
        this.sets = Integer.highestOneBit(Math.max(1, (buckets + WAYS - 1) / WAYS * 2 - 1));
        this.keyed = keyed;
        this.guards = new Guards(sets);
        int places = sets * WAYS;
        this.highs = new long[places];
        this.lows = new long[places];
        this.levels = new double[places];
        this.lasts = new long[places];
        this.created = new long[places];
        Arrays.fill(created, FREE);
    }

    /** Returns the number of slots. */
    int capacity() {
        return sets * WAYS;
    }

    private int set(long high, long low) {
        return (int) keyed.hash(high, low) & (sets - 1);
    }

    /** Adds a request of a network to its bucket. */
    Verdict add(long high, long low, RateLimit limit, long ttl, long now) {
        int set = set(high, low);
        if (!guards.take(set)) {
            return Verdict.PASS;
        }
        try {
            int at = find(set, high, low);
            if (at < 0) {
                at = victim(set);
                begin(at, high, low, now);
                return Verdict.PASS;
            }
            return add(at, limit, ttl, now);
        } finally {
            guards.release(set);
        }
    }

    private int find(int set, long high, long low) {
        for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
            if (lows[at] == low && highs[at] == high && created[at] != FREE) {
                return at;
            }
        }
        return -1;
    }

    private int victim(int set) {
        int worst = set * WAYS;
        for (int at = worst; at < (set + 1) * WAYS; at++) {
            if (created[at] == FREE) {
                return at;
            }
            boolean over = Double.isNaN(levels[at]);
            boolean worstOver = Double.isNaN(levels[worst]);
            if (over == worstOver ? lasts[at] < lasts[worst] : worstOver) {
                worst = at;
            }
        }
        return worst;
    }

    private void begin(int at, long high, long low, long now) {
        highs[at] = high;
        lows[at] = low;
        levels[at] = 1;
        lasts[at] = now;
        created[at] = now;
    }

    private Verdict add(int at, RateLimit limit, long ttl, long now) {
        // After the clock was set back, no network must be refused for longer than the time to live.
        created[at] = Math.min(created[at], now);
        if (now - created[at] >= ttl) {
            begin(at, highs[at], lows[at], now);
            return Verdict.PASS;
        }
        if (Double.isNaN(levels[at])) {
            return Verdict.OVER;
        }
        double level = now > lasts[at] ? limit.drained(levels[at], now - lasts[at]) : levels[at];
        lasts[at] = now;
        if (level >= limit.burst()) {
            levels[at] = Double.NaN;
            return Verdict.FIRST_OVER;
        }
        levels[at] = level + 1;
        return Verdict.PASS;
    }

    /** Empties the bucket of a network. Returns whether it was over its limit. */
    boolean remove(long high, long low) {
        int set = set(high, low);
        guards.await(set);
        try {
            int at = find(set, high, low);
            if (at < 0) {
                return false;
            }
            created[at] = FREE;
            return Double.isNaN(levels[at]);
        } finally {
            guards.release(set);
        }
    }

    /** Visits all buckets. Each entry is a consistent snapshot. */
    void forEach(Consumer<Entry> target) {
        Entry[] found = new Entry[WAYS];
        for (int set = 0; set < sets; set++) {
            int count = 0;
            guards.await(set);
            try {
                for (int at = set * WAYS; at < (set + 1) * WAYS; at++) {
                    if (created[at] != FREE) {
                        found[count++] = new Entry(highs[at], lows[at], levels[at], lasts[at], created[at]);
                    }
                }
            } finally {
                guards.release(set);
            }
            for (int i = 0; i < count; i++) {
                target.accept(found[i]);
            }
        }
    }

    /** Restores a bucket from another table or from before a restart. An existing bucket stays. */
    void restore(Entry entry) {
        int set = set(entry.high(), entry.low());
        guards.await(set);
        try {
            if (find(set, entry.high(), entry.low()) < 0) {
                int at = victim(set);
                highs[at] = entry.high();
                lows[at] = entry.low();
                levels[at] = entry.level();
                lasts[at] = entry.last();
                created[at] = entry.created();
            }
        } finally {
            guards.release(set);
        }
    }
}
