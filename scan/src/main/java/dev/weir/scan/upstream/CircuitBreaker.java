package dev.weir.scan.upstream;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A circuit breaker for one server, shared by all rules: decides whether the server is asked.
 *
 * <p>Rspamd marks a server dead after its failure rate was too high for ten seconds, so that every mail of that time
 * waits for all attempts (docs/reference/scanner.md#health). Here silence counts from the first unanswered datagram on:
 * a
 * server that has said nothing for a fraction of the timeout is <em>suspect</em> and is only asked when no better
 * server
 * is
 * there; after {@code max_errors} failures in a row it is <em>closed off</em> and not asked at all. Both are looked at
 * again with a request that no mail waits for, soon at first and then less often, up to {@code revive_time}. A single
 * answer of any kind ends both.
 *
 * <p>Times are of one monotonic clock, in nanoseconds. For one thread.
 */
public final class CircuitBreaker {
    private static final long FIRST_PROBE = Duration.ofMillis(250).toNanos();
    private static final double JITTER = 0.3;

    /** What is known of a server. */
    public enum State {
        /** It answers, or nothing is known against it. */
        HEALTHY,
        /** It was silent for longer than it should be. */
        SUSPECT,
        /** It failed too often. */
        CLOSED_OFF
    }

    private int maxErrors;
    private long reviveNanos;
    private final RandomGenerator random;
    private State state = State.HEALTHY;
    private int failures;
    private long probeDelay = FIRST_PROBE;
    private long nextProbe;

    /**
     * A healthy server.
     *
     * @param maxErrors failures in a row after which it is closed off, at least 1
     * @param revive the longest time between two probes
     */
    public CircuitBreaker(int maxErrors, Duration revive, RandomGenerator random) {
        this.maxErrors = maxErrors;
        this.reviveNanos = revive.toNanos();
        this.random = random;
    }

    /** Goes on with other limits; what is known stays. */
    public void retune(int errors, Duration revive) {
        maxErrors = errors;
        reviveNanos = revive.toNanos();
    }

    /** What is known. */
    public State state() {
        return state;
    }

    /** Failures since the last answer. */
    public int failures() {
        return failures;
    }

    /** It answered, whatever it said. */
    public void answered() {
        state = State.HEALTHY;
        failures = 0;
        probeDelay = FIRST_PROBE;
    }

    /** It has been silent for too long. */
    public void suspect(long now) {
        if (state == State.HEALTHY) {
            state = State.SUSPECT;
            schedule(now);
        }
    }

    /** A request failed for good: no answer to any attempt, or the system says that nothing listens. */
    public void failed(long now) {
        failures++;
        suspect(now);
        if (failures >= maxErrors) {
            state = State.CLOSED_OFF;
        }
    }

    /** When to probe next; only of a meaning while it is not healthy. */
    public long nextProbe() {
        return nextProbe;
    }

    /** A probe was sent. */
    public void probed(long now) {
        probeDelay = Math.min(2 * probeDelay, reviveNanos);
        schedule(now);
    }

    private void schedule(long now) {
        double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        nextProbe = now + (long) (Math.min(probeDelay, reviveNanos) * factor);
    }
}
