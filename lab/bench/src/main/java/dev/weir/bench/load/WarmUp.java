package dev.weir.bench.load;

import java.time.Duration;

/**
 * The first part of loads that run together, with results of its own because JVMs still compile then. It has all
 * requests that are due before its end, even if they are sent or answered later, so the loads need no pause after it.
 */
public final class WarmUp {
    private final long startedAt;
    private volatile long endAt;

    WarmUp(long startedAt, Duration length) {
        this.startedAt = startedAt;
        this.endAt = startedAt + length.toNanos();
    }

    /** Starts a warm-up that ends after this time, or earlier if a load says so. */
    public static WarmUp start(Duration length) {
        return new WarmUp(System.nanoTime(), length);
    }

    /** Returns a warm-up that is over. */
    public static WarmUp none() {
        return start(Duration.ZERO);
    }

    /** Ends it at this time of {@link System#nanoTime}, unless it ends earlier. Only one of the loads may do this. */
    void endBy(long nanos) {
        if (nanos - endAt < 0) {
            endAt = nanos;
        }
    }

    /** Returns whether a request that is due then is part of it. */
    boolean has(long due) {
        return due - endAt < 0;
    }

    /** Returns its length, which is final when the loads have ended. */
    public Duration length() {
        return Duration.ofNanos(endAt - startedAt);
    }
}
