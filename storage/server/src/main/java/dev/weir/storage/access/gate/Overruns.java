package dev.weir.storage.access.gate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.storage.access.NetworkLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of clients over a rate limit. A network is logged once each time it starts to be refused. At most
 * {@value #LINES} lines are logged per minute, because addresses can be forged.
 */
final class Overruns {
    private static final Logger LOG = LoggerFactory.getLogger(Overruns.class);
    private static final int LINES = 10;
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

    /** The current minute since the epoch, and the number of lines logged in it. */
    private final AtomicLong logged = new AtomicLong();
    private final AtomicLong suppressed = new AtomicLong();

    void network(Source source, NetworkLimit limit, long now, boolean logOnly) {
        if (mayLog(now)) {
            LOG.warn("rate limit: the network of {} exceeded {} requests at once and {} per second; {}{}", source,
                    limit.limit().burst(), limit.limit().rate(),
                    logOnly ? "only logged" : "refused for " + limit.ttl().toSeconds() + " s at most", others());
        }
    }

    void key(KeyAccess key, long now, boolean logOnly) {
        // The bucket of a key drains, so there is no single first refusal to log as a warning.
        if (LOG.isDebugEnabled() && mayLog(now)) {
            LOG.debug("rate limit: the key {} is over its limit; {}{}", key.publicKey().statName(),
                    logOnly ? "only logged" : "refused", others());
        }
    }

    private boolean mayLog(long now) {
        long minute = (now / MINUTE) << 8;
        long old = logged.get();
        long lines = (old & ~0xffL) == minute ? old & 0xff : 0;
        if (lines >= LINES || !logged.compareAndSet(old, minute | (lines + 1))) {
            suppressed.incrementAndGet();
            return false;
        }
        return true;
    }

    private String others() {
        long count = suppressed.getAndSet(0);
        return count == 0 ? "" : "; " + count + " more not logged";
    }
}
