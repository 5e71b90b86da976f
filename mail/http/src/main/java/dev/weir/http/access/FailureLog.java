package dev.weir.http.access;

import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of failed logins, one line each, in a form that fail2ban reads (docs/integrate/http.md has the filter). The
 * only content from the client is its address. The log is bounded to a thousand lines at once and ten a second after
 * that; the next line reports how many were left out. Thread-safe.
 */
final class FailureLog {
    private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
    private static final double BURST = 1000;
    private static final double PER_NANOSECOND = 10 / 1e9;

    private final LongSupplier nanoTime;
    private double tokens = BURST;
    private long at;
    private long left;

    FailureLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.at = nanoTime.getAsLong();
    }

    /**
     * Logs a failure.
     *
     * @param from the sender, as {@link Sender#description} writes it
     * @param reason the reason, such as {@code wrong password}
     */
    void failed(String from, String reason) {
        if (mayTell()) {
            LOG.warn("failed login from {}: {}", from, reason);
        }
    }

    /** Logs that logins of a sender are refused from now on. */
    void refused(String from) {
        if (mayTell()) {
            LOG.warn("too many failed logins: {} is refused for a while", from);
        }
    }

    private synchronized boolean mayTell() {
        long now = nanoTime.getAsLong();
        tokens = Math.min(BURST, tokens + (now - at) * PER_NANOSECOND);
        at = now;
        if (tokens < 1) {
            left++;
            return false;
        }
        tokens--;
        if (left > 0) {
            LOG.warn("{} messages about failed logins were suppressed", left);
            left = 0;
        }
        return true;
    }
}
