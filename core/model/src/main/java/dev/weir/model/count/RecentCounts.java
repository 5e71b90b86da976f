package dev.weir.model.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts of each of the last periods, such as minutes, in a ring: the place of a period is its number modulo the size.
 * A count is at most 2<sup>31</sup> - 1. For one thread at a time.
 */
public final class RecentCounts {
    private final int[] counts;
    private long period;

    /** Creates counts of zero up to a period. */
    public RecentCounts(int periods, long now) {
        this.counts = new int[periods];
        this.period = now;
    }

    /** Returns the bytes of the counts of some periods. */
    public static int bytes(int periods) {
        return 24 + 16 + Integer.BYTES * periods;
    }

    /** Returns the number of periods. */
    public int size() {
        return counts.length;
    }

    /** Returns the last period. */
    public long period() {
        return period;
    }

    /** Goes on to a later period. Those in between have no counts. */
    public void turn(long now) {
        if (now <= period) {
            return;
        }
        if (now - period >= counts.length) {
            Arrays.fill(counts, 0);
        } else {
            for (long i = period + 1; i <= now; i++) {
                counts[place(i)] = 0;
            }
        }
        period = now;
    }

    private int place(long number) {
        return (int) Math.floorMod(number, (long) counts.length);
    }

    /** Adds to the count of the last period. */
    public void add(long count) {
        add(period, count);
    }

    /** Adds to the count of one of the last periods. */
    public void add(long number, long count) {
        int place = place(number);
        counts[place] = (int) Math.min(Integer.MAX_VALUE, counts[place] + count);
    }

    /** Adds other counts of the same size; both are up to the later period then. */
    public void merge(RecentCounts other) {
        turn(other.period);
        other.turn(period);
        for (int i = 0; i < counts.length; i++) {
            add(i, other.counts[i]);
        }
    }

    /** Returns the count of one of the last periods. */
    public int at(long number) {
        return counts[place(number)];
    }

    /** Returns the sum of some of the last periods, the current one included; of all if there are fewer. */
    public long sum(long last) {
        long sum = 0;
        for (long back = 0; back < Math.min(last, counts.length); back++) {
            sum += at(period - back);
        }
        return sum;
    }

    /** Returns the counts, that of the current period last. */
    public List<Long> inOrder() {
        List<Long> ordered = new ArrayList<>(counts.length);
        for (int back = counts.length - 1; back >= 0; back--) {
            ordered.add((long) at(period - back));
        }
        return ordered;
    }
}
