package dev.weir.storage.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which hashes age. The clock of the machine can be set, and a wrong date must neither delete hashes nor
 * make new ones look old.
 *
 * <p>The time follows the clock of the machine while that runs at the right speed, starting from the last known time of
 * an earlier run. While the clock deviates, the time continues from its previous value: hashes age by {@link #trusted}.
 * Stored times use the {@link #later} of both, so that a hash never looks older than it is.
 *
 * <p>A clock that jumped ahead is trusted after it has run for as long as the jump. A clock that jumped back is not
 * trusted until it returns. The operator can {@link #believe} either at once.
 *
 * <p>Thread-safe. A query for a packet reads two numbers. The writer calls {@link #look} at least once a minute; other
 * threads do so if the clock has moved much since.
 */
public final class StorageClock implements InstantSource {
    private static final Logger LOG = LoggerFactory.getLogger(StorageClock.class);

    /** Smaller steps are daylight saving or corrections. */
    static final Duration TOLERANCE = Duration.ofHours(1);

    /** The tolerance between two runs, whose distance is unknown. */
    static final Duration START_TOLERANCE = Duration.ofDays(1);

    /** The divisor that yields the tolerated error from the age of expiry. */
    private static final int PART_OF_AGE = 8;

    /** The difference that two clocks of a machine can always have. */
    private static final long LEAST_MILLIS = 1_000;

    /** The time for which a look at the clock is valid. */
    private static final long LOOK_MILLIS = 60_000;

    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();

    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Timing timing;

    /** The lead of the clock over the trusted time; negative if it lags; 0 while it is trusted. */
    private volatile long ahead;

    /** The clock at the last look. */
    private volatile long seen;
    private volatile boolean started;
    private volatile boolean doubting;

    // The following fields are guarded by the lock of this object.
    private long known = Long.MIN_VALUE;
    private boolean agreed;
    private long baseMillis;
    private long baseNanos;
    private long doubtNanos;
    private long remindNanos;

    /**
     * Creates a clock that trusts the machine's until {@link #start}.
     *
     * @param nanos a monotonic clock
     * @param timing the age of expiry
     */
    public StorageClock(InstantSource clock, LongSupplier nanos, Timing timing) {
        this.clock = clock;
        this.nanos = nanos;
        this.timing = timing;
    }

    /** Records a time of an earlier run in milliseconds since the epoch. Call it before {@link #start}. */
    public synchronized void known(long millis) {
        known = Math.max(known, millis);
    }

    /** Starts to compare the clock, beginning with the known time if there is one. */
    public synchronized void start() {
        seen = clock.millis();
        baseMillis = known == Long.MIN_VALUE ? seen : known;
        baseNanos = nanos.getAsLong();
        started = true;
        look();
    }

    /** Compares the clock with the elapsed time. */
    public synchronized void look() {
        if (!started) {
            return;
        }
        long now = clock.millis();
        long nowNanos = nanos.getAsLong();
        long off = now - baseMillis - (nowNanos - baseNanos) / 1_000_000;
        seen = now;
        if (off <= tolerance(agreed ? TOLERANCE : START_TOLERANCE) && off >= -tolerance(TOLERANCE)) {
            if (doubting) {
                LOG.info("the clock is right again");
            }
            agree(now, nowNanos);
        } else if (doubting && Math.abs(off - ahead) <= tolerance(TOLERANCE)) {
            goOn(off, now, nowNanos);
        } else {
            doubting = true;
            ahead = off;
            doubtNanos = nowNanos;
            remind(nowNanos);
        }
    }

    private void goOn(long off, long now, long nowNanos) {
        if (off > 0 && (nowNanos - doubtNanos) / 1_000_000 >= off) {
            LOG.warn("the new time has lasted as long as the jump; the storage trusts the clock again");
            agree(now, nowNanos);
        } else if (nowNanos - remindNanos >= REMIND_NANOS) {
            remind(nowNanos);
        }
    }

    private void remind(long nowNanos) {
        remindNanos = nowNanos;
        LOG.error("{}; correct the clock or, if it is right, run \"weir control trustclock\"", doubt());
    }

    private void agree(long now, long nowNanos) {
        baseMillis = now;
        baseNanos = nowNanos;
        ahead = 0;
        agreed = true;
        doubting = false;
    }

    private long tolerance(Duration most) {
        long age = timing.expireSeconds();
        return age == 0 ? most.toMillis() : Math.clamp(age * 1_000 / PART_OF_AGE, LEAST_MILLIS, most.toMillis());
    }

    /** Trusts the current clock, because the operator confirmed it. */
    public synchronized void believe() {
        long now = clock.millis();
        seen = now;
        LOG.info("the operator confirmed the clock; the storage trusts it again");
        agree(now, nanos.getAsLong());
    }

    /** Returns why the clock is not trusted, and the consequences; empty if it is trusted. */
    public String doubt() {
        long off = ahead;
        if (!doubting) {
            return "";
        }
        return off > 0
                ? "the clock is " + hours(off)
                        + " ahead of what this storage knows; until the new time has lasted as long as the jump, "
                        + "hashes age by the old time"
                : "the clock is " + hours(-off) + " behind what this storage knows; the storage keeps counting from "
                        + "the last trusted time";
    }

    private static String hours(long millis) {
        long hours = Duration.ofMillis(millis).toHours();
        return hours >= 48 ? hours / 24 + " days" : hours > 0 ? hours + " hours" : millis / 60_000 + " minutes";
    }

    /**
     * Returns the time by which hashes age.
     *
     * @param now the clock of the machine, in milliseconds since the epoch
     */
    public long trusted(long now) {
        if (Math.abs(now - seen) > LOOK_MILLIS) {
            look();
        }
        return now - ahead;
    }

    /**
     * Returns the time for stored data, never less than {@link #trusted}.
     *
     * @param now as for {@link #trusted}
     */
    public long later(long now) {
        return Math.max(now, trusted(now));
    }

    /** Returns the time by which hashes age, in milliseconds since the epoch. */
    @Override
    public long millis() {
        return trusted(clock.millis());
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }
}
