package dev.weir.storage.access.gate;

import java.util.Arrays;
import java.util.function.Consumer;

import dev.weir.model.KeyedHash;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;

/**
 * The leaky buckets of networks (docs/reference/storage.md#limits-of-networks), in a table whose size never changes.
 * Any thread may ask; asking makes no objects and never waits.
 *
 * <p>The table is made of sets of {@value #WAYS} places. A network belongs to one set by a keyed hash, so that no
 * client can aim at a set. Is its set full, a network displaces the one of the set that was seen longest ago, and
 * rather one that is below its limit than one that is over it: who is refused cannot wash that off with made-up
 * addresses until those are all refused too. Networks spread unevenly over sets, so a few are forgotten before the
 * whole table is full.
 *
 * <p>A network that goes over the limit is refused until its entry is as old as the time to live, as in Rspamd: waiting
 * for the bucket to drain does not help. The entry then starts with a full bucket.
 */
final class NetworkBuckets {
    /** What became of a request. */
    enum Verdict {
        /** Within the limit. */
        PASS,
        /** The one that went over it. */
        FIRST_OVER,
        /** Over it, as others before. */
        OVER
    }

    /**
     * A look at one bucket.
     *
     * @param high first half of the network's first address
     * @param low second half
     * @param level requests in it, NaN when the network is over its limit
     * @param last milliseconds since the epoch of the last request that was within the limit, or that went over it
     * @param created milliseconds since the epoch of the first request
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
     * An empty table.
     *
     * @param buckets networks to remember at least, 1..{@link NetworkLimit#MAX_BUCKETS}
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

    /** Networks that there is room for. */
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
            guards.giveBack(set);
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
        // A clock that was set back must not keep anybody out for longer than the time to live.
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

    /** Shows all buckets, each as it is at one moment. */
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
                guards.giveBack(set);
            }
            for (int i = 0; i < count; i++) {
                target.accept(found[i]);
            }
        }
    }

    /** Takes over a bucket from another table or from before a restart; one that is there already stays. */
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
            guards.giveBack(set);
        }
    }
}
