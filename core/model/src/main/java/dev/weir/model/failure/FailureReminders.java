package dev.weir.model.failure;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides when a failure that lasts is logged: when it begins, when its reason changes, and once an hour. Thread-safe.
 *
 * @param <K> what fails
 */
public final class FailureReminders<K> {
    private static final long INTERVAL = TimeUnit.HOURS.toNanos(1);

    /** Strangers may choose what fails. Beyond this number, all are forgotten and logged again. */
    private static final int MOST = 1_000;

    private final LongSupplier nanoTime;
    private final Map<K, Logged> logged = new HashMap<>();

    private record Logged(String reason, long nanos) {}

    /**
     * Creates it without failures.
     *
     * @param nanoTime a monotonic clock
     */
    public FailureReminders(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records that something fails, and returns whether to log that now. */
    public synchronized boolean isDue(K subject, String reason) {
        Logged before = logged.get(subject);
        long now = nanoTime.getAsLong();
        if (before != null && before.reason.equals(reason) && now - before.nanos < INTERVAL) {
            return false;
        }
        if (before == null && logged.size() >= MOST) {
            logged.clear();
        }
        logged.put(subject, new Logged(reason, now));
        return true;
    }

    /** Records that something works, and returns whether it failed before. */
    public synchronized boolean end(K subject) {
        return logged.remove(subject) != null;
    }
}
