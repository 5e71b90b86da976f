package dev.weir.milter.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log messages about connections that anyone may cause: each sentence at once, then once a minute. Thread-safe. */
final class RepeatedNotice {
    private static final Logger LOG = LoggerFactory.getLogger(RepeatedNotice.class);
    private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final Map<String, Said> said = new HashMap<>();

    private record Said(long time, long held) {}

    RepeatedNotice(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Reports an event.
     *
     * @param what one of few sentences
     * @param detail what is special this time
     */
    void say(String what, Object detail) {
        long now = nanoTime.getAsLong();
        long held;
        synchronized (this) {
            Said before = said.get(what);
            if (before != null && now - before.time() < INTERVAL) {
                said.put(what, new Said(before.time(), before.held() + 1));
                return;
            }
            held = before == null ? 0 : before.held();
            said.put(what, new Said(now, 0));
        }
        LOG.warn("milter: {}: {}; {} more since the last such line", what, detail, held);
    }
}
