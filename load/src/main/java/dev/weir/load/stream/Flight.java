package dev.weir.load.stream;

import java.util.Arrays;

/**
 * The queries that have no answer yet: for each of the last ones when it was sent, or due. Queries are numbered in the
 * order of sending. Serves one thread.
 */
final class Flight {
    private static final long ANSWERED = Long.MIN_VALUE;

    private final long[] since;
    private long next;
    private long oldest;
    private int outstanding;

    /** Remembers the last {@code size} queries, a power of two. */
    Flight(int size) {
        this.since = new long[size];
        Arrays.fill(since, ANSWERED);
    }

    private int slot(long number) {
        return (int) number & (since.length - 1);
    }

    /** Returns the number of the next query. */
    long next() {
        return next;
    }

    int outstanding() {
        return outstanding;
    }

    /**
     * Returns whether the next query would take the place of one without an answer: one of them has to {@link #end}
     * first.
     */
    boolean isFull() {
        return next - oldest >= since.length;
    }

    /** The next query is on its way. */
    void begin(long at) {
        since[slot(next++)] = at;
        outstanding++;
    }

    /** Returns the number of the last query with a tag. */
    long numberOf(long tag, long lastTag) {
        return next - 1 - ((next - 1 - tag) & lastTag);
    }

    /** Returns whether a number is one of the queries that are remembered. */
    boolean isRecent(long number) {
        return number >= 0 && number < next && next - number <= since.length;
    }

    boolean isOutstanding(long number) {
        return isRecent(number) && since[slot(number)] != ANSWERED;
    }

    /** When an outstanding query was sent, or due; it no longer is outstanding. */
    long end(long number) {
        long at = since[slot(number)];
        since[slot(number)] = ANSWERED;
        outstanding--;
        skipAnswered();
        return at;
    }

    /** Returns the oldest outstanding query, or {@link #next}. */
    long oldest() {
        skipAnswered();
        return oldest;
    }

    long since(long number) {
        return since[slot(number)];
    }

    private void skipAnswered() {
        while (oldest < next && since[slot(oldest)] == ANSWERED) {
            oldest++;
        }
    }
}
