package dev.weir.http.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the log that a server turns connections away: when that begins, and once a minute while it goes on. Thread-safe. */
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
     * One more was turned away.
     *
     * @param what one of few sentences, each of which has its own minute
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
                "HTTP: {} ({}); since the start: {} taken, {} idle ones closed, {} refused as too many of one address, {} for"
                        + " want of room, {} not accepted",
                what, detail, counters.connections(), counters.displaced(),
                counters.refused(), counters.overflows(), counters.acceptFailures());
    }
}
