package dev.weir.load.stream;

import java.util.Arrays;

/**
 * The outstanding queries: for each of the most recent ones, the time at which it was sent or due. Queries are numbered
 * in the order of sending. For one thread.
 */
final class Flight {
    private static final long ANSWERED = Long.MIN_VALUE;

    private final long[] since;
    private long next;
    private long oldest;
    private int outstanding;

    /** Creates a record of the last {@code size} queries, a power of two. */
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

    /** Returns whether the next query would replace an outstanding one, which must {@link #end} first. */
    boolean isFull() {
        return next - oldest >= since.length;
    }

    /** Records the next query. */
    void begin(long at) {
        since[slot(next++)] = at;
        outstanding++;
    }

    /** Returns the number of the last query with a tag. */
    long numberOf(long tag, long lastTag) {
        return next - 1 - ((next - 1 - tag) & lastTag);
    }

    /** Returns whether a number belongs to a recorded query. */
    boolean isRecent(long number) {
        return number >= 0 && number < next && next - number <= since.length;
    }

    boolean isOutstanding(long number) {
        return isRecent(number) && since[slot(number)] != ANSWERED;
    }

    /** Removes an outstanding query and returns the time at which it was sent or due. */
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
