package dev.weir.storage.queue;

import java.time.Duration;

/** The times of a storage that may be changed while it runs. Any thread may ask or change. */
public final class Timing {
    private volatile long expireSeconds;
    private volatile Duration sync;

    /**
     * Times.
     *
     * @param expire age after which a flag is forgotten; 0 or less keeps everything
     * @param sync time between two transactions of the backend
     */
    public Timing(Duration expire, Duration sync) {
        this.expireSeconds = Math.max(0, expire.toSeconds());
        this.sync = sync;
    }

    /** Puts other times in force: from the next look for expired flags and the next transaction on. */
    public void change(Duration newExpire, Duration newSync) {
        expireSeconds = Math.max(0, newExpire.toSeconds());
        sync = newSync;
    }

    /** Age after which a flag is forgotten, in seconds; 0 keeps everything. */
    public long expireSeconds() {
        return expireSeconds;
    }

    /** Time between two transactions of the backend. */
    public Duration sync() {
        return sync;
    }
}
