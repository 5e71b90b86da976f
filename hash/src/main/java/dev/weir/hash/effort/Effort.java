package dev.weir.hash.effort;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What one mail may still cost. Everything that loops over something of the mail counts its steps here; the clock is
 * looked at now and then only, so that counting costs next to nothing. For one mail and one thread.
 */
public final class Effort {
    /** Steps, each about as much work as a byte of text, between two looks at the clock: a millisecond or so. */
    private static final int STEPS_A_LOOK = 1 << 16;
    /** A mail may ask for so many times its own size to be read again, */
    private static final int MOST_REPETITIONS = 32;
    /** and for no more than this, in bytes: what is read again may be held in memory. */
    private static final long MOST_REPEATED = 64L << 20;
    /** A small mail may ask for this, in bytes. */
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
     * For a mail that begins to be read now.
     *
     * @param limit how long it may take, above zero
     * @param size of the mail, in bytes
     */
    public static Effort of(Duration limit, int size) {
        return of(System::nanoTime, limit, size);
    }

    static Effort of(LongSupplier clock, Duration limit, int size) {
        long most = Math.min(MOST_REPEATED, (long) MOST_REPETITIONS * size);
        return new Effort(clock, limit.toNanos(), Math.max(LEAST_REPEATED, most));
    }

    /** Without a limit of time, for a text or a document that is read alone. */
    public static Effort unlimited() {
        return new Effort(System::nanoTime, Long.MAX_VALUE, MOST_REPEATED);
    }

    /**
     * Counts work that is about to be done.
     *
     * @param more steps, each about as much as a byte of text takes
     * @throws NotHashedException if the time is up
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
                    "it takes longer than " + Duration.ofNanos(nanos).toMillis() + " ms to hash");
        }
    }

    /**
     * Counts bytes that were read before and are about to be read again.
     *
     * @throws NotHashedException if the mail has had its share
     */
    public void repeat(int bytes) {
        repeated += bytes;
        if (repeated > mostRepeated) {
            throw new NotHashedException(NotHashedException.Reason.REPETITION,
                    "more than " + mostRepeated + " bytes of it would have to be read again");
        }
        spend(bytes);
    }

    /** Nanoseconds since the mail began to be read. */
    public long spent() {
        return clock.getAsLong() - start;
    }
}
