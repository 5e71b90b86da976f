package dev.weir.storage.shared;

import java.time.Duration;

import dev.weir.storage.queue.Quorum;

/** The updates that Redis is sure to keep, as far as the settings ask for it. Thread-safe. */
public final class SharedQuorum implements Quorum {
    private final Duration patience;
    private final Runnable progressed;
    private volatile long reached;

    /**
     * Creates a record without any update.
     *
     * @param patience how long a client waits
     * @param progressed runs when Redis keeps more
     */
    public SharedQuorum(Duration patience, Runnable progressed) {
        this.patience = patience;
        this.progressed = progressed;
    }

    /** Records that Redis keeps everything up to a revision. For one thread. */
    void reach(long revision) {
        if (revision > reached) {
            reached = revision;
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
