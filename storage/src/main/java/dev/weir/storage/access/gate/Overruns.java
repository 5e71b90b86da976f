package dev.weir.storage.access.gate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.storage.access.NetworkLimit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log who went over a rate limit: once for each time a network is refused, and never more than
 * {@value #LINES} lines a minute, because addresses can be made up.
 */
final class Overruns {
    private static final Logger LOG = LoggerFactory.getLogger(Overruns.class);
    private static final int LINES = 10;
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

    /** The minute since the epoch, and the lines that it had. */
    private final AtomicLong said = new AtomicLong();
    private final AtomicLong unsaid = new AtomicLong();

    void network(Source source, NetworkLimit limit, long now, boolean logOnly) {
        if (maySay(now)) {
            LOG.warn("rate limit: the network of {} sent more than {} requests at once and {} a second; {}{}", source,
                    limit.limit().burst(), limit.limit().rate(),
                    logOnly ? "only noted" : "refused for " + limit.ttl().toSeconds() + " s at most", others());
        }
    }

    void key(KeyAccess key, long now, boolean logOnly) {
        // A key has no first time: it is over the limit now and then.
        if (LOG.isDebugEnabled() && maySay(now)) {
            LOG.debug("rate limit: the key {} is over its limit; {}{}", key.publicKey().statName(),
                    logOnly ? "only noted" : "refused", others());
        }
    }

    private boolean maySay(long now) {
        long minute = (now / MINUTE) << 8;
        long old = said.get();
        long lines = (old & ~0xffL) == minute ? old & 0xff : 0;
        if (lines >= LINES || !said.compareAndSet(old, minute | (lines + 1))) {
            unsaid.incrementAndGet();
            return false;
        }
        return true;
    }

    private String others() {
        long count = unsaid.getAndSet(0);
        return count == 0 ? "" : "; " + count + " others were not named";
    }
}
