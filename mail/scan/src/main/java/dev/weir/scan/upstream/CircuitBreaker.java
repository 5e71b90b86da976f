package dev.weir.scan.upstream;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A circuit breaker for one server, shared by all rules. It decides whether the server is asked.
 *
 * <p>Rspamd marks a server dead only after ten seconds of a high failure rate, and every mail of that time waits for
 * all attempts (docs/reference/scanner.md#health). This circuit breaker counts silence from the first unanswered
 * datagram on. A server that is silent for a fraction of the timeout becomes <em>suspect</em> and is asked only if no
 * better server is available. After {@code max_errors} failures in a row it is <em>closed off</em> and not asked at
 * all. In both states the server is probed with requests that no mail waits for, at first soon and then less often, up
 * to {@code revive_time}. A single answer of any kind makes it healthy again.
 *
 * <p>Times are nanoseconds of one monotonic clock. For one thread.
 */
public final class CircuitBreaker {
    private static final long FIRST_PROBE = Duration.ofMillis(250).toNanos();
    private static final double JITTER = 0.3;

    /** The state of a server. */
    public enum State {
        /** The server answers, or has not failed yet. */
        HEALTHY,
        /** The server has been silent for longer than usual. */
        SUSPECT,
        /** The server has failed too often. */
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
     * Creates a breaker for a healthy server.
     *
     * @param maxErrors failures in a row after which the server is closed off, at least 1
     * @param revive the maximum time between two probes
     */
    public CircuitBreaker(int maxErrors, Duration revive, RandomGenerator random) {
        this.maxErrors = maxErrors;
        this.reviveNanos = revive.toNanos();
        this.random = random;
    }

    /** Changes the limits and keeps the state. */
    public void retune(int errors, Duration revive) {
        maxErrors = errors;
        reviveNanos = revive.toNanos();
    }

    /** Returns the state. */
    public State state() {
        return state;
    }

    /** Returns the number of failures since the last answer. */
    public int failures() {
        return failures;
    }

    /** Records an answer of any kind. */
    public void answered() {
        state = State.HEALTHY;
        failures = 0;
        probeDelay = FIRST_PROBE;
    }

    /** Records that the server has been silent for too long. */
    public void suspect(long now) {
        if (state == State.HEALTHY) {
            state = State.SUSPECT;
            schedule(now);
        }
    }

    /** Records that a request failed for good: no attempt was answered, or the system reports that nothing listens. */
    public void failed(long now) {
        failures++;
        suspect(now);
        if (failures >= maxErrors) {
            state = State.CLOSED_OFF;
        }
    }

    /** Returns when to probe next. Meaningful only while the server is not healthy. */
    public long nextProbe() {
        return nextProbe;
    }

    /** Records that a probe was sent. */
    public void probed(long now) {
        probeDelay = Math.min(2 * probeDelay, reviveNanos);
        schedule(now);
    }

    private void schedule(long now) {
        double factor = 1 - JITTER + 2 * JITTER * random.nextDouble();
        nextProbe = now + (long) (Math.min(probeDelay, reviveNanos) * factor);
    }
}
