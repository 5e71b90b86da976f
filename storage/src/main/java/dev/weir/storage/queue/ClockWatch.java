package dev.weir.storage.queue;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the clock was set far ahead, and says that nothing may be removed for its age until that has stood for a
 * while: a wrong date for a minute must not cost the whole storage. For one thread.
 */
final class ClockWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);

    /** Steps up to this are daylight saving or a correction. */
    static final Duration TOLERANCE = Duration.ofHours(1);

    /** How long the new time must stand before it is believed. */
    static final Duration PATIENCE = Duration.ofHours(1);

    private final InstantSource clock;
    private final LongSupplier nanos;
    private long wallMillis;
    private long wallNanos;
    private boolean doubting;
    private long doubtNanos;

    /** A watch that believes the time it is made at; {@code nanos} is a clock that cannot be set. */
    ClockWatch(InstantSource clock, LongSupplier nanos) {
        this.clock = clock;
        this.nanos = nanos;
        this.wallMillis = clock.millis();
        this.wallNanos = nanos.getAsLong();
    }

    /** Whether the time may be used to remove things. */
    boolean isTrusted() {
        long nowMillis = clock.millis();
        long nowNanos = nanos.getAsLong();
        long ahead = nowMillis - wallMillis - (nowNanos - wallNanos) / 1_000_000;
        if (ahead > TOLERANCE.toMillis()) {
            if (!doubting) {
                doubting = true;
                doubtNanos = nowNanos;
                LOG.error("the clock jumped ahead by {} hours; nothing is removed for its age until that has stood for "
                        + "{} minutes: set the clock right before", ahead / 3_600_000, PATIENCE.toMinutes());
            }
            if (nowNanos - doubtNanos < PATIENCE.toNanos()) {
                return false;
            }
        } else if (doubting) {
            LOG.info("the clock is right again");
        }
        doubting = false;
        wallMillis = nowMillis;
        wallNanos = nowNanos;
        return true;
    }
}
