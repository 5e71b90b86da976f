package dev.weir.storage.queue;

import java.util.concurrent.TimeUnit;

/**
 * The wait of a sync for clients that just got their replies. For the writer's thread.
 *
 * <p>Clients that send one update after another return a moment after their replies. With slow syncs, they just miss
 * the next one: two groups take turns, and each sync serves half of the clients. A wait of a small part of the sync
 * time lets one sync serve all. With fast syncs, waiting would cost more than it gains.
 */
final class GroupCommitDelay {
    /** The minimum duration of a sync for which waiting pays. */
    static final long LONG_SYNC = TimeUnit.MILLISECONDS.toNanos(1);
    /** The divisor that yields the maximum wait from the duration of a sync. */
    static final int PART = 4;
    /** The maximum wait. Even with a stalled disk, clients must not wait without a reason. */
    static final long MOST = TimeUnit.MILLISECONDS.toNanos(5);
    /** The approximate number of syncs in the mean, so that a single slow one causes no wait. */
    private static final int SMOOTHED = 8;

    private long sync;
    private int crowd;

    /**
     * Records a sync.
     *
     * @param nanos its duration
     * @param served number of updates that it served
     * @param waiting number of updates that arrived meanwhile
     */
    void synced(long nanos, int served, int waiting) {
        sync += (nanos - sync) / SMOOTHED;
        crowd = served + waiting;
    }

    /** Returns the number of updates to wait for: as many as around the last sync. */
    int crowd() {
        return crowd;
    }

    /** Returns the maximum wait in nanoseconds; 0 for none. */
    long patience() {
        return sync < LONG_SYNC ? 0 : Math.min(sync / PART, MOST);
    }
}
