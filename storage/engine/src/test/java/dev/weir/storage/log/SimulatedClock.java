package dev.weir.storage.log;

import java.time.Instant;
import java.time.InstantSource;

/** A settable time of day, and a monotonic time. */
final class SimulatedClock implements InstantSource {
    /** No machine has an earlier time. */
    private static final long BEGIN = 0;
    private static final long START = 1_700_000_000_000L;

    /** Below the last second of the protocol, whose times are unsigned numbers of 32 bits. */
    private static final long END = 4_000_000_000_000L;

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

    /** Returns the time of day without any changes. */
    long trueMillis() {
        return START + nanos / 1_000_000;
    }

    /** Advances the time. */
    void pass(long by) {
        millis += by;
        nanos += by * 1_000_000;
    }

    /** Changes the time of day, from 1970 to the year 2096. */
    void jump(long by) {
        millis = Math.clamp(millis + by, BEGIN, END);
    }
}
