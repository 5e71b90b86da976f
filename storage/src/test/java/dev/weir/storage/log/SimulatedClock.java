package dev.weir.storage.log;

import java.time.Instant;
import java.time.InstantSource;

/** A time of day that can be set, and a time that only goes on. */
final class SimulatedClock implements InstantSource {
    private static final long START = 1_700_000_000_000L;

    private long millis = START;
    private long nanos;

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis);
    }

    @Override
    public long millis() {
        return millis;
    }

    long nanos() {
        return nanos;
    }

    /** The time of day if it had never been set. */
    long trueMillis() {
        return START + nanos / 1_000_000;
    }

    /** Time goes by. */
    void pass(long by) {
        millis += by;
        nanos += by * 1_000_000;
    }

    /** Someone sets the time of day. */
    void jump(long by) {
        millis += by;
    }
}
