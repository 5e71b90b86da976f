package dev.weir.http.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log messages of a server that turns connections away: when that begins, and once a minute while it continues.
 * Thread-safe.
 */
final class FullNotice {
    private static final Logger LOG = LoggerFactory.getLogger(FullNotice.class);
    private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);

    private final ServerCounters counters;
    private final LongSupplier nanoTime;
    private final Map<String, Long> said = new HashMap<>();

    FullNotice(ServerCounters counters, LongSupplier nanoTime) {
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /**
     * Reports one more rejected connection.
     *
     * @param what one of few sentences, each of which has its own interval
     */
    void say(String what, Object detail) {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            Long before = said.get(what);
            if (before != null && now - before < INTERVAL) {
                return;
            }
            said.put(what, now);
        }
        LOG.warn(
                "HTTP: {} ({}); since the start: {} connections accepted, {} idle ones closed, {} refused because of"
                        + " their address, {} refused for lack of places, {} not accepted",
                what, detail, counters.connections(), counters.displaced(),
                counters.refused(), counters.overflows(), counters.acceptFailures());
    }
}
