package dev.weir.http.access;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.weir.http.message.HttpHead;
import dev.weir.model.SafeText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of requests refused because of an unknown host name: at most one line a minute. Thread-safe. */
final class HostLog {
    private static final Logger LOG = LoggerFactory.getLogger(HostLog.class);
    private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);
    /** The longest name that is shown: that of DNS. */
    private static final int LONGEST = 253;

    private final LongSupplier nanoTime;
    private long at;
    private long left = -1;

    HostLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Logs a refused request.
     *
     * @param from the sender, as {@link Sender#description} writes it
     */
    void refused(HttpHead head, String from) {
        long suppressed;
        synchronized (this) {
            long now = nanoTime.getAsLong();
            if (left >= 0 && now - at < INTERVAL) {
                left++;
                return;
            }
            suppressed = Math.max(0, left);
            left = 0;
            at = now;
        }
        String host = head.outer().first("host").or(() -> head.headers().first("host")).orElse("");
        LOG.warn("a request from {} is refused: \"{}\" is not a known name of this server; if it is one, add it to"
                + " allowed_hosts of worker \"controller\"{}", from,
                SafeText.of(host.substring(0, Math.min(LONGEST, host.length()))),
                suppressed == 0 ? "" : " (" + suppressed + " more since the last message)");
    }
}
