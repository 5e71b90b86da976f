package dev.weir.storage.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of a consumer and its failures. The program's log has a failing state at once, then once a minute, also if
 * the consumer works now and then. The thread of the consumer reports; any thread may ask.
 */
public final class ConsumerHealth {
    private static final Logger LOG = LoggerFactory.getLogger(ConsumerHealth.class);
    private static final Duration REMIND = Duration.ofMinutes(1);

    private final UpdateLog log;
    private final LogClaim claim;
    private final Words words;
    private final LongSupplier nanos;
    private volatile long position;
    private volatile long completeNanos;
    private long marked;
    private long markedNanos;
    private volatile String failure = "";
    private volatile @Nullable Failed last;

    /** Whether the log of the program says that the consumer fails. */
    private boolean reported;
    private long remindDue;

    /**
     * What the log of the program says about a consumer.
     *
     * @param subject such as {@code the store}
     * @param fails such as {@code cannot be written}
     * @param works such as {@code can be written}
     */
    public record Words(String subject, String fails, String works) {}

    private record Failed(String reason, long nanos) {}

    /**
     * Creates the state of a consumer that works.
     *
     * @param position the last update that it has; -1 if that is unknown
     * @param nanos a monotonic clock
     */
    public ConsumerHealth(UpdateLog log, LogClaim claim, long position, Words words, LongSupplier nanos) {
        this.log = log;
        this.claim = claim;
        this.words = words;
        this.nanos = nanos;
        this.position = position;
        this.marked = log.durable();
        this.markedNanos = nanos.getAsLong();
        this.completeNanos = markedNanos;
        this.remindDue = markedNanos;
    }

    /** The consumer has the updates up to a revision. Report this also if it has not changed. */
    public void reached(long revision) {
        long end = log.durable();
        long now = nanos.getAsLong();
        if (revision >= marked) {
            completeNanos = revision >= end ? now : markedNanos;
            marked = end;
            markedNanos = now;
        }
        position = revision;
    }

    /** Returns the last update that the consumer has; -1 if that is unknown. */
    public long position() {
        return position;
    }

    /** Returns why the consumer fails at present; empty if it does not. */
    public String failure() {
        return failure;
    }

    /** The consumer fails, and its owner tells so. */
    public void fails(String reason) {
        failure = reason;
        last = new Failed(reason, nanos.getAsLong());
    }

    /** The consumer fails, and its owner has told the log of the program, which also hears of the end. */
    public void failsAsTold(String reason) {
        fails(reason);
        reported = true;
    }

    /** The consumer fails. */
    public void failed(String reason, @Nullable Exception cause) {
        fails(reason);
        if (nanos.getAsLong() - remindDue < 0) {
            return;
        }
        remindDue = nanos.getAsLong() + REMIND.toNanos();
        if (reported) {
            LOG.error("{} still {}; {} updates wait in {} MiB of log: {}", words.subject(), words.fails(), behind(),
                    log.bytes() >> 20, reason);
        } else {
            LOG.error("{} {}; {} updates wait in the log, checks and learns go on: {}", words.subject(),
                    words.fails(), behind(), reason, cause);
        }
        reported = true;
    }

    /** The consumer works. */
    public void works() {
        failure = "";
        if (reported) {
            reported = false;
            LOG.info("{} {} again; {} updates wait in the log", words.subject(), words.works(), behind());
        }
    }

    /** Another one takes the place of the consumer, and has not failed. */
    public void begins() {
        failure = "";
        reported = false;
    }

    private long behind() {
        return Math.max(0, log.durable() - Math.max(0, position));
    }

    /**
     * Returns the present state.
     *
     * @param stopped whether the consumer has ended, is away, or waits for an operator
     */
    public ConsumerStatus status(boolean stopped) {
        long behind = behind();
        Failed before = last;
        return new ConsumerStatus(claim.name(), stopped ? ConsumerStatus.State.STOPPED : state(), claim.retention(),
                position, behind, behind == 0 ? 0 : seconds(completeNanos), before == null ? "" : before.reason(),
                before == null ? -1 : seconds(before.nanos()));
    }

    private ConsumerStatus.State state() {
        long at = position;
        if (at >= 0 && !log.has(at + 1)) {
            return ConsumerStatus.State.BEHIND;
        }
        return !failure.isEmpty()
                ? ConsumerStatus.State.FAILING
                : at < 0 ? ConsumerStatus.State.BEHIND : ConsumerStatus.State.RUNNING;
    }

    private long seconds(long since) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - since);
    }
}
