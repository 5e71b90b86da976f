package dev.weir.storage.replication;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.weir.storage.queue.Quorum;

/** The revisions that followers have on their disks, and so the last one that enough of them have. Thread-safe. */
public final class Confirmations implements Quorum {
    private final int needed;
    private final Duration patience;
    private final Map<String, Long> revisions = new ConcurrentHashMap<>();
    private volatile long reached;
    private volatile Runnable progressed = () -> {};

    /**
     * Creates an empty record.
     *
     * @param needed number of followers that must have an update; at least 1
     * @param patience how long a client waits for them
     */
    public Confirmations(int needed, Duration patience) {
        this.needed = needed;
        this.patience = patience;
    }

    /** Sets what runs when more updates count as replicated. */
    public void onProgress(Runnable next) {
        progressed = next;
    }

    /** Records that a follower has everything up to a revision. */
    public void confirm(String follower, long revision) {
        revisions.merge(follower, revision, Math::max);
        if (revisions.size() < needed) {
            return;
        }
        long now = revisions.values().stream().sorted(Comparator.reverseOrder()).skip(needed - 1L).findFirst()
                .orElse(0L);
        boolean more;
        synchronized (this) {
            more = now > reached;
            reached = Math.max(now, reached);
        }
        if (more) {
            progressed.run();
        }
    }

    @Override
    public long reached() {
        return reached;
    }

    @Override
    public Duration patience() {
        return patience;
    }
}
