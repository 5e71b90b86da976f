package dev.weir.storage.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which hashes age, from a clock that anybody may set: a wrong date must neither cost hashes nor make new
 * ones look old.
 *
 * <p>It goes with the clock of the machine as long as that goes as fast as time does, from the last time that is known
 * of an earlier run. While the clock is far from that, time goes on here from where it was: {@link #trusted} is what
 * hashes age by. What is written down gets the {@link #later} of both, so that it never looks older than it is.
 *
 * <p>A clock that went ahead is believed when it has stood for as long as it jumped; one that went back is not, unless
 * it returns. The operator can {@link #believe} either at once.
 *
 * <p>Any thread may ask. One that asks for a packet reads two numbers; {@link #look}, at least once a minute, is for
 * the writer, and is done by others if the clock has moved much since.
 */
public final class StorageClock implements InstantSource {
    private static final Logger LOG = LoggerFactory.getLogger(StorageClock.class);

    /** Steps up to this are daylight saving or a correction. */
    static final Duration TOLERANCE = Duration.ofHours(1);

    /** Between two runs time goes by of which nothing is known. */
    static final Duration START_TOLERANCE = Duration.ofDays(1);

    /** A clock may be wrong by one in so many of the age at which hashes expire, and be believed. */
    private static final int PART_OF_AGE = 8;

    /** By less the two clocks of a machine may differ at any time. */
    private static final long LEAST_MILLIS = 1_000;

    /** Without a look, for so long the clock is taken to be as it was. */
    private static final long LOOK_MILLIS = 60_000;

    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();

    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Timing timing;

    /** What the clock is ahead of the time that is trusted; negative if behind; 0 while it is believed. */
    private volatile long ahead;

    /** What the clock said at the last look. */
    private volatile long seen;
    private volatile boolean started;
    private volatile boolean doubting;

    // The following with the lock of this object.
    private long known = Long.MIN_VALUE;
    private boolean agreed;
    private long baseMillis;
    private long baseNanos;
    private long doubtNanos;
    private long remindNanos;

    /**
     * A clock that believes the machine's until {@link #start}.
     *
     * @param nanos a clock that cannot be set
     * @param timing with the age at which hashes expire
     */
    public StorageClock(InstantSource clock, LongSupplier nanos, Timing timing) {
        this.clock = clock;
        this.nanos = nanos;
        this.timing = timing;
    }

    /** Says that an earlier run was under way at a time, in milliseconds since the epoch. Before {@link #start}. */
    public synchronized void known(long millis) {
        known = Math.max(known, millis);
    }

    /** Begins to compare: with what is known, if anything is. */
    public synchronized void start() {
        seen = clock.millis();
        baseMillis = known == Long.MIN_VALUE ? seen : known;
        baseNanos = nanos.getAsLong();
        started = true;
        look();
    }

    /** Compares the clock with the time that went by. */
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
            LOG.warn("the clock has gone on for as long as it had jumped ahead; it is believed now");
            agree(now, nowNanos);
        } else if (nowNanos - remindNanos >= REMIND_NANOS) {
            remind(nowNanos);
        }
    }

    private void remind(long nowNanos) {
        remindNanos = nowNanos;
        LOG.error("{}; set the clock right, or if it is, say so with \"weir control trustclock\"", doubt());
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

    /** Believes the clock as it is now: the operator says that it is right. */
    public synchronized void believe() {
        long now = clock.millis();
        seen = now;
        LOG.info("the clock is believed as it is, because the operator says so");
        agree(now, nanos.getAsLong());
    }

    /** Why the clock is not believed, with what follows from it; empty when it is. */
    public String doubt() {
        long off = ahead;
        if (!doubting) {
            return "";
        }
        return off > 0
                ? "the clock is " + hours(off)
                        + " ahead of what this storage knows; until it has stood for as long, hashes "
                        + "age as if it had not jumped"
                : "the clock is " + hours(-off) + " behind what this storage knows; times go on from before";
    }

    private static String hours(long millis) {
        long hours = Duration.ofMillis(millis).toHours();
        return hours >= 48 ? hours / 24 + " days" : hours > 0 ? hours + " hours" : millis / 60_000 + " minutes";
    }

    /**
     * Returns the time by which hashes age.
     *
     * @param now what the clock of the machine says, in milliseconds since the epoch
     */
    public long trusted(long now) {
        if (Math.abs(now - seen) > LOOK_MILLIS) {
            look();
        }
        return now - ahead;
    }

    /**
     * Returns the time for what is written down: never less than {@link #trusted}.
     *
     * @param now as there
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
