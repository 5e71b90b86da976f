package dev.weir.hash.effort;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The remaining budget of one mail. Every loop over the content of a mail counts its steps here. The clock is read only
 * once per many steps, so counting is cheap. For one mail and one thread.
 */
public final class Effort {
    /** Steps between two readings of the clock; one step is about the work for one byte of text. */
    private static final int STEPS_A_LOOK = 1 << 16;
    /** Bytes that may be read again, as a multiple of the size of the mail. */
    private static final int MOST_REPETITIONS = 32;
    /** Upper limit of bytes that may be read again, because memory may hold them. */
    private static final long MOST_REPEATED = 64L << 20;
    /** Bytes that even a small mail may read again. */
    private static final long LEAST_REPEATED = 64L << 10;

    private final LongSupplier clock;
    private final long start;
    private final long nanos;
    private final long mostRepeated;
    private long repeated;
    private int steps;

    private Effort(LongSupplier clock, long nanos, long mostRepeated) {
        this.clock = clock;
        this.start = clock.getAsLong();
        this.nanos = nanos;
        this.mostRepeated = mostRepeated;
    }

    /**
     * Returns the budget of a mail whose reading starts now.
     *
     * @param limit time limit, positive
     * @param size size of the mail in bytes
     */
    public static Effort of(Duration limit, int size) {
        return of(System::nanoTime, limit, size);
    }

    static Effort of(LongSupplier clock, Duration limit, int size) {
        long most = Math.min(MOST_REPEATED, (long) MOST_REPETITIONS * size);
        return new Effort(clock, limit.toNanos(), Math.max(LEAST_REPEATED, most));
    }

    /** Returns a budget without a time limit, for a single text or document. */
    public static Effort unlimited() {
        return new Effort(System::nanoTime, Long.MAX_VALUE, MOST_REPEATED);
    }

    /**
     * Counts work that is about to start.
     *
     * @param more steps, each about the work for one byte of text
     * @throws NotHashedException if the time limit has passed, or if no caller still waits for the hashes
     */
    public void spend(int more) {
        steps += more;
        if (steps >= STEPS_A_LOOK || steps < 0) {
            steps = 0;
            look();
        }
    }

    private void look() {
        if (spent() > nanos) {
            throw new NotHashedException(NotHashedException.Reason.TIME,
                    "hashing takes longer than " + Duration.ofNanos(nanos).toMillis() + " ms");
        }
        if (Abandonment.isReached()) {
            throw new NotHashedException(NotHashedException.Reason.ABANDONED,
                    "hashing was given up, because the time of the request is over");
        }
    }

    /**
     * Counts bytes that are about to be read again.
     *
     * @throws NotHashedException if the mail exceeds its share of repeated bytes
     */
    public void repeat(int bytes) {
        repeated += bytes;
        if (repeated > mostRepeated) {
            throw new NotHashedException(NotHashedException.Reason.REPETITION,
                    "hashing would read more than " + mostRepeated + " bytes again");
        }
        spend(bytes);
    }

    /** Returns the nanoseconds since the reading of the mail started. */
    public long spent() {
        return clock.getAsLong() - start;
    }
}
