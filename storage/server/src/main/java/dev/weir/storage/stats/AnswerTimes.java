package dev.weir.storage.stats;

import java.util.Arrays;

/**
 * Counts of requests by answer time, in classes of a quarter of a power of two: 1 to 1.25, 1.25 to 1.5, ... times
 * 2<sup>n</sup> nanoseconds. A percentile is therefore exact to a quarter at most.
 */
public final class AnswerTimes {
    private static final int QUARTER_BITS = 2;

    /** The number of classes; the last one has everything from about 12 hours on. */
    public static final int CLASSES = 184;

    private final long[] counts;

    private AnswerTimes(long[] counts) {
        this.counts = counts;
    }

    /**
     * Returns times with counts.
     *
     * @param counts the requests of each class, which are copied
     */
    public static AnswerTimes of(long[] counts) {
        return new AnswerTimes(counts.clone());
    }

    /** Returns times without a request. */
    public static AnswerTimes none() {
        return new AnswerTimes(new long[CLASSES]);
    }

    /** Returns the class of a time. */
    public static int classOf(long nanos) {
        long time = Math.max(nanos, 1 << QUARTER_BITS);
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(time);
        int quarter = (int) (time >>> (power - QUARTER_BITS)) & 3;
        return Math.min(CLASSES - 1, ((power - QUARTER_BITS) << QUARTER_BITS) + quarter);
    }

    /** Returns the end of a class in nanoseconds. */
    static long endOf(int at) {
        int power = (at >>> QUARTER_BITS) + QUARTER_BITS;
        return (1L << power) + (((at & 3) + 1L) << (power - QUARTER_BITS));
    }

    /** Returns the requests counted since an earlier state. */
    public AnswerTimes since(AnswerTimes earlier) {
        long[] rest = new long[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            rest[i] = counts[i] - earlier.counts[i];
        }
        return new AnswerTimes(rest);
    }

    /** Returns the sum of these requests and others. */
    public AnswerTimes plus(AnswerTimes other) {
        long[] sum = new long[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            sum[i] = counts[i] + other.counts[i];
        }
        return new AnswerTimes(sum);
    }

    /** Returns the number of requests. */
    public long count() {
        return Arrays.stream(counts).sum();
    }

    /**
     * Returns the time within which a share of the requests was answered.
     *
     * @param share above 0, up to 1
     * @return nanoseconds, rounded up to the end of a class; 0 without requests
     */
    public long within(double share) {
        long all = count();
        long needed = Math.max(1, (long) Math.ceil(all * share));
        long seen = 0;
        for (int i = 0; i < CLASSES && all > 0; i++) {
            seen += counts[i];
            if (seen >= needed) {
                return endOf(i);
            }
        }
        return 0;
    }
}
