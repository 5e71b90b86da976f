package dev.weir.storage.queue;

import java.util.concurrent.TimeUnit;

/**
 * How long a sync waits for those who were just answered. For the writer's thread.
 *
 * <p>Clients that learn one after the other come back a moment after they were answered. Where a sync takes long, those
 * who come back just miss the next one: two crowds take turns, and each sync serves half of the clients. Waiting for
 * them a small part of the time that a sync takes lets one serve all. Where syncs are quick, waiting would cost more
 * than it gives.
 */
final class Gathering {
    /** Shorter syncs are worth no waiting. */
    static final long LONG_SYNC = TimeUnit.MILLISECONDS.toNanos(1);
    /** Of the time of a sync, the part that may be waited. */
    static final int PART = 4;
    /** The longest wait: even a disk that stands still must not make clients wait for nothing. */
    static final long MOST = TimeUnit.MILLISECONDS.toNanos(5);
    /** Of how many syncs the time is the mean, about: one that took long by chance is no reason to wait. */
    private static final int SMOOTHED = 8;

    private long sync;
    private int crowd;

    /**
     * To be told of every sync.
     *
     * @param nanos how long it took
     * @param served updates that it served
     * @param waiting updates that came meanwhile
     */
    void synced(long nanos, int served, int waiting) {
        sync += (nanos - sync) / SMOOTHED;
        crowd = served + waiting;
    }

    /** For how many updates to wait: as many as there were about the last sync. */
    int crowd() {
        return crowd;
    }

    /** For how long at most, in nanoseconds; 0 for not at all. */
    long patience() {
        return sync < LONG_SYNC ? 0 : Math.min(sync / PART, MOST);
    }
}
