package dev.weir.storage.queue;

import java.time.Duration;

/** The times of a storage that can change while it runs. Thread-safe. */
public final class Timing {
    private volatile long expireSeconds;
    private volatile Duration sync;

    /**
     * Creates the times.
     *
     * @param expire age after which a flag expires; 0 or less keeps everything
     * @param sync time between two transactions of the backend
     */
    public Timing(Duration expire, Duration sync) {
        this.expireSeconds = Math.max(0, expire.toSeconds());
        this.sync = sync;
    }

    /** Changes the times, from the next search for expired flags and the next transaction on. */
    public void change(Duration newExpire, Duration newSync) {
        expireSeconds = Math.max(0, newExpire.toSeconds());
        sync = newSync;
    }

    /** Returns the age after which a flag expires, in seconds; 0 keeps everything. */
    public long expireSeconds() {
        return expireSeconds;
    }

    /** Returns the time between two transactions of the backend. */
    public Duration sync() {
        return sync;
    }
}
