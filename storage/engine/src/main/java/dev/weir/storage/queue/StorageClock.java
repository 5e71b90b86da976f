package dev.weir.storage.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time by which hashes age. No single source moves it: neither the clock of the machine, which can be set, nor the
 * monotonic clock, nor a file, nor the time of one update.
 *
 * <ul>
 * <li>At a start, the {@linkplain Witness witnesses} of earlier runs and the clock of the machine each claim a time.
 * The time begins at the latest one that two of them support, and follows the clock of the machine if that is near.
 * <li>While running, time passes as far as the clock of the machine and the monotonic clock agree: by the smaller of
 * both.
 * <li>If the clock of the machine then deviates, the storage doubts it. A clock that jumped ahead is trusted once the
 * new time has lasted for the age of expiry, because no hash from before the jump is young then; the {@link Doubt}
 * outlasts a restart. A clock that jumped back is not trusted until it returns. The operator can {@link #believe}
 * either at once, and so can the clock of another machine.
 * </ul>
 *
 * <p>Deviations within {@link #boundMillis} are corrections, which the time follows at once: at most that much ahead in
 * a day. At a start, they are up to a day or an eighth of the age of expiry, and so they are if the clock goes back:
 * a clock that was ahead when the storage started is set right soon after. Hashes then live longer, and the way ahead
 * to where the time has been is free. Stored times use the {@link #later} of all claims, so that a hash never looks
 * older than it is.
 *
 * <p>A second opinion: who talks with a leader or a shared Redis reports their time with {@link #heard}. While one of
 * them differs by more than the bound, {@link #agrees} is false, the storage expires nothing, and says so. Before this
 * node renews hashes elsewhere, buries them or sends their ends, ask {@link #agrees}. An opinion ends a doubt if it
 * agrees with the clock of the machine and comes from another one: then two clocks are right, and the elapsed time was
 * not, for example because the machine was suspended. What would expire by that time at once still passes the
 * {@link dev.weir.storage.brake.RemovalBrake}.
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

    /** The time for which the opinion of another party counts. */
    public static final Duration OPINION = Duration.ofMinutes(10);

    /** The divisor that yields the tolerated error from the age of expiry. */
    private static final int PART_OF_AGE = 8;

    /** One part of so many of the elapsed time may be corrected ahead. */
    private static final int PART_OF_DAY = 24;

    /** The difference that two clocks of a machine can always have. */
    private static final long LEAST_MILLIS = 1_000;

    /** A look after a shorter time would only sum up rounding errors. */
    private static final long SHORT_MILLIS = 1_000;

    /** The time for which a look at the clock is valid. */
    private static final long LOOK_MILLIS = 60_000;

    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();

    /** What supports a time of an earlier run. */
    public enum Witness {
        /** The file with the last time at which the storage was running. */
        FILE,
        /** The newest update of the log; without it and the file, the newest time in the hashes up to the clock. */
        UPDATES
    }

    /**
     * A clock that is ahead and not trusted, for the next run.
     *
     * @param ahead how far it was ahead of the trusted time, in milliseconds
     * @param lasted for how long the new time has lasted, in milliseconds
     */
    public record Doubt(long ahead, long lasted) {}

    /** What another party says: how far its clock is ahead of this machine's, and when it said so. */
    private record Opinion(long ahead, long nanos) {}

    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Timing timing;

    /** The lead of the clock over the trusted time; negative if it lags; near 0 while it is trusted. */
    private volatile long ahead;

    /** The clock at the last look. */
    private volatile long seen;

    /** How far the latest claim of a witness is ahead of the trusted time. */
    private volatile long lead;
    private volatile boolean started;
    private volatile boolean doubting;
    private volatile String disagreement = "";

    // The following fields are guarded by the lock of this object.
    private final Map<Witness, Long> claims = new EnumMap<>(Witness.class);
    private final Map<String, Opinion> opinions = new TreeMap<>();
    private boolean agreed;
    private long time;
    private long seenNanos;
    /** How far the time may still be corrected ahead. */
    private long slack;
    /** How far the time was set back, by which it may go ahead again. */
    private long regain;
    /** The time that has passed since the doubt began. */
    private long doubted;
    private Optional<Doubt> earlier = Optional.empty();
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
    public synchronized void known(Witness witness, long millis) {
        claims.merge(witness, millis, Math::max);
    }

    /** Continues a doubt of the last run, if the clock has gone on since. Call it before {@link #start}. */
    public synchronized void doubtedBefore(Doubt doubt) {
        earlier = Optional.of(doubt);
    }

    /** Returns the doubt of this run; empty unless the clock is ahead and not trusted. */
    public synchronized Optional<Doubt> doubtSoFar() {
        return doubting && ahead > 0 ? Optional.of(new Doubt(ahead, doubted)) : Optional.empty();
    }

    /** Starts to compare the clock, beginning with the latest time that two sources support. */
    public synchronized void start() {
        seen = clock.millis();
        seenNanos = nanos.getAsLong();
        time = supported();
        lead = Math.max(0, claims.values().stream().mapToLong(Long::longValue).max().orElse(time) - time);
        regain = claims.values().stream().filter(claim -> claim <= seen + startBoundMillis())
                .mapToLong(claim -> Math.max(0, claim - time)).max().orElse(0);
        slack = boundMillis();
        started = true;
        compare();
        // While no storage was running, the clock went on by an unknown time, and by no more than this.
        earlier.filter(doubt -> doubting && ahead >= doubt.ahead() - boundMillis()
                && ahead <= doubt.ahead() + startBoundMillis()).ifPresent(doubt -> doubted = doubt.lasted());
        Long file = claims.get(Witness.FILE);
        if (file != null && file - time > boundMillis()) {
            LOG.warn("the last time of this storage is {} ahead of the time that two sources support; hashes do not "
                    + "age by it. If the clock is right, run \"weir control trustclock\"", hours(file - time));
        }
        Long updates = claims.get(Witness.UPDATES);
        if (updates != null && updates - time > boundMillis()) {
            LOG.warn("the newest update is {} later than the time that two sources support; hashes do not age by it. "
                    + "If the clock is right, run \"weir control trustclock\"", hours(updates - time));
        }
    }

    /**
     * Returns the latest time that two sources support. A claim before the clock of the machine is supported by that
     * clock. After it, the file and the updates must agree; one alone is ignored, also as a support of the
     * clock.
     */
    private long supported() {
        long limit = seen + startBoundMillis();
        long file = claims.getOrDefault(Witness.FILE, Long.MIN_VALUE);
        long updates = claims.getOrDefault(Witness.UPDATES, Long.MIN_VALUE);
        if (file > limit && updates > limit) {
            return Math.min(file, updates);
        }
        return claims.values().stream().filter(claim -> claim <= limit).mapToLong(claim -> Math.min(claim, seen))
                .max().orElse(seen);
    }

    /** Compares the clock with the elapsed time. */
    public synchronized void look() {
        if (!started) {
            return;
        }
        long now = clock.millis();
        long passed = (nanos.getAsLong() - seenNanos) / 1_000_000;
        if (Math.abs(passed) < SHORT_MILLIS && Math.abs(now - seen) < SHORT_MILLIS) {
            return;
        }
        // After a jump back, the monotonic clock counts for the time since the last look, if that is short.
        long both = Math.max(0, Math.min(now < seen ? LOOK_MILLIS : now - seen, passed));
        seen = now;
        seenNanos += passed * 1_000_000;
        time += both;
        slack = Math.min(boundMillis(), slack + both / PART_OF_DAY);
        doubted += both;
        compare();
        forgetOpinions();
    }

    private void compare() {
        long off = seen - time;
        regain = Math.min(regain, startBoundMillis());
        long most = (agreed ? boundMillis() : startBoundMillis()) + regain;
        if (off <= most && off >= -startBoundMillis()) {
            if (doubting) {
                LOG.info("the clock is right again");
            }
            doubting = false;
            correct(off);
        } else if (doubting && Math.abs(off - ahead) <= boundMillis()) {
            goOn(off);
        } else {
            doubting = true;
            ahead = off;
            doubted = 0;
            remind();
        }
    }

    /** Follows the clock of the machine: back at once, and ahead as far as it was set back and corrections may go. */
    private void correct(long off) {
        if (off < 0) {
            long free = slack - off;
            slack = Math.min(boundMillis(), free);
            regain = Math.min(startBoundMillis(), regain + free - slack);
            move(off);
        } else if (agreed) {
            long again = Math.min(off, regain);
            long step = Math.min(off - again, slack);
            regain -= again;
            slack -= step;
            move(again + step);
        } else {
            move(off);
        }
        agreed = true;
    }

    private void goOn(long off) {
        long age = timing.expireSeconds() * 1_000;
        if (off > 0 && doubted >= (age == 0 ? off : age)) {
            LOG.warn("the new time has lasted so long that no hash is younger than it; the storage trusts the clock "
                    + "again");
            agree();
        } else if (nanos.getAsLong() - remindNanos >= REMIND_NANOS) {
            remind();
        }
    }

    private void remind() {
        remindNanos = nanos.getAsLong();
        LOG.error("{}; correct the clock or, if it is right, run \"weir control trustclock\"", doubt());
    }

    private void move(long step) {
        time += step;
        lead = Math.max(0, lead - step);
        ahead = seen - time;
    }

    private void agree() {
        move(seen - time);
        agreed = true;
        doubting = false;
        regain = 0;
    }

    /**
     * Returns the deviation in milliseconds that counts as a correction: an hour, or an eighth of the age of expiry.
     */
    public long boundMillis() {
        return tolerance(TOLERANCE);
    }

    /** Returns the same for the time between two runs: a day, or an eighth of the age of expiry. */
    long startBoundMillis() {
        return tolerance(START_TOLERANCE);
    }

    private long tolerance(Duration most) {
        long age = timing.expireSeconds();
        return age == 0 ? most.toMillis() : Math.clamp(age * 1_000 / PART_OF_AGE, LEAST_MILLIS, most.toMillis());
    }

    /** Trusts the current clock, because the operator confirmed it. */
    public synchronized void believe() {
        seen = clock.millis();
        seenNanos = nanos.getAsLong();
        LOG.info("the operator confirmed the clock; the storage trusts it again");
        agree();
        lead = 0;
    }

    // ---- the opinions of others ----

    /**
     * Takes note of the time of another party. It counts for {@link #OPINION}. A doubt ends if the party has another
     * clock and agrees with that of this machine.
     *
     * @param party for people, such as "the leader 192.0.2.1:11336"
     * @param millis its time now, in milliseconds since the epoch
     * @param elsewhere whether it runs on another machine
     */
    public synchronized void heard(String party, long millis, boolean elsewhere) {
        long difference = millis - clock.millis();
        opinions.put(party, new Opinion(difference, nanos.getAsLong()));
        if (elsewhere && Math.abs(difference) <= boundMillis()) {
            look();
            if (doubting) {
                LOG.warn("{} has the same time as this machine; the storage trusts the clock again", party);
                seen = clock.millis();
                seenNanos = nanos.getAsLong();
                agree();
            }
        }
        forgetOpinions();
    }

    private void forgetOpinions() {
        if (opinions.isEmpty() && disagreement.isEmpty()) {
            return;
        }
        long now = nanos.getAsLong();
        opinions.values().removeIf(opinion -> now - opinion.nanos() > OPINION.toNanos());
        String found = "";
        for (Map.Entry<String, Opinion> entry : opinions.entrySet()) {
            long difference = entry.getValue().ahead();
            if (Math.abs(difference) > boundMillis()) {
                found = "the clock of " + entry.getKey() + " is " + hours(Math.abs(difference))
                        + (difference > 0 ? " ahead of" : " behind")
                        + " this machine's; nothing expires until they agree";
            }
        }
        if (disagreement.isEmpty() && !found.isEmpty()) {
            LOG.error("{}: correct the wrong clock", found);
        } else if (found.isEmpty() && !disagreement.isEmpty()) {
            LOG.info("the clocks agree again");
        }
        disagreement = found;
    }

    /** Returns whether this node does not doubt its clock, and no other party differs by more than the bound. */
    public boolean agrees() {
        return !doubting && disagreement.isEmpty();
    }

    /** Returns whose clock differs from this machine's by more than the bound; empty if none does. */
    public String disagreement() {
        return disagreement;
    }

    // ---- answers ----

    /** Returns why the clock is not trusted, and the consequences; empty if it is trusted. */
    public String doubt() {
        long off = ahead;
        if (!doubting) {
            return "";
        }
        return off > 0
                ? "the clock is " + hours(off)
                        + " ahead of what this storage knows; until the new time has lasted as long as hashes live, "
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
     * Returns the time for stored data, never less than {@link #trusted} or what a witness of an earlier run
     * claims.
     *
     * @param now as for {@link #trusted}
     */
    public long later(long now) {
        return Math.max(now, trusted(now) + lead);
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
