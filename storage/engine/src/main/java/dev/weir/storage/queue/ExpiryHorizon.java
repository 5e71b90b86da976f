package dev.weir.storage.queue;

import java.util.OptionalLong;
import java.util.function.LongSupplier;

import dev.weir.storage.brake.MassRemoval;
import dev.weir.storage.brake.RemovalBrake;

/**
 * The second before which flags may be removed. It may move on as steadily as time passes. If it would leap, because
 * {@code expire} or the clock was set, or because nothing is known of an earlier run, the {@link RemovalBrake} decides.
 *
 * <p>For the writer's thread, except {@link #last}.
 */
public final class ExpiryHorizon {
    private static final String NAME = "expiry";

    private final Timing timing;
    private final StorageClock clock;
    private final LongSupplier nanos;
    private final RemovalBrake brake;

    /** The last horizon behind which everything was removed, the time of it, and the seconds that may be added. */
    private volatile OptionalLong last;
    private long lastNanos;
    private long slack;

    /** A horizon that waits for the brake; valid for its age of expiry. */
    private OptionalLong held = OptionalLong.empty();
    private long heldAge;
    private long heldNanos;

    /**
     * Continues from the last run.
     *
     * @param clock the time by which hashes age
     * @param nanos a monotonic clock
     * @param last what {@link #last} was in the last run; empty if unknown
     */
    public ExpiryHorizon(Timing timing, StorageClock clock, LongSupplier nanos, RemovalBrake brake,
            OptionalLong last) {
        this.timing = timing;
        this.clock = clock;
        this.nanos = nanos;
        this.brake = brake;
        this.last = last;
        this.lastNanos = nanos.getAsLong();
        this.slack = clock.startBoundMillis() / 1_000;
    }

    /** Returns the last horizon behind which everything was removed, in seconds since 1970. Any thread may call it. */
    public OptionalLong last() {
        return last;
    }

    /** Returns whether nothing may expire at present. */
    boolean isClosed() {
        return timing.expireSeconds() <= 0 || !clock.disagreement().isEmpty();
    }

    /** Returns the horizon of the next removal: the one that waits, or the present one. */
    long wanted() {
        long now = clock.millis() / 1_000 - timing.expireSeconds();
        if (held.isPresent() && heldAge == timing.expireSeconds() && held.getAsLong() <= now) {
            return held.getAsLong();
        }
        if (held.isPresent()) {
            withdraw();
        }
        heldAge = timing.expireSeconds();
        heldNanos = nanos.getAsLong();
        return now;
    }

    /** Gives up the removal that waits. Without an age of expiry, the horizon leaps when there is one again. */
    void withdraw() {
        if (timing.expireSeconds() <= 0) {
            last = OptionalLong.empty();
        }
        if (held.isPresent()) {
            held = OptionalLong.empty();
            brake.withdraw(NAME);
        }
    }

    /** Returns whether a horizon is no further than time has passed. */
    boolean isSteady(long horizon) {
        return horizon <= reached();
    }

    /** Returns the horizon that needs no confirmation. */
    long reached() {
        return last.isEmpty()
                ? Long.MIN_VALUE
                : last.getAsLong() + (nanos.getAsLong() - lastNanos) / 1_000_000_000 + slack;
    }

    /**
     * Returns whether a horizon that leaps may be used, and otherwise makes it wait.
     *
     * @param hashes the number of hashes that would lose flags
     */
    boolean mayLeap(long horizon, long hashes, long total) {
        long age = timing.expireSeconds();
        String why = "they are older than expire (" + age + " s) allows, and "
                + (last.isEmpty()
                        ? "no earlier run is known that shows how time passed"
                        : "expire or the clock was set: the limit moved by " + (horizon - last.getAsLong())
                                + " s since the last removal");
        if (brake.mayRemove(new MassRemoval(NAME, "expire " + age + " before " + horizon, why, hashes, total))) {
            return true;
        }
        held = OptionalLong.of(horizon);
        return false;
    }

    /** Takes note that everything behind a horizon is removed. */
    void swept(long horizon) {
        held = OptionalLong.empty();
        last = OptionalLong.of(horizon);
        lastNanos = heldNanos;
        slack = clock.boundMillis() / 1_000;
    }
}
