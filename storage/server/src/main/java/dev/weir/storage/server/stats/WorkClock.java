package dev.weir.storage.server.stats;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long a thread has been working on its current batch, so that a thread that hangs is noticed. One thread
 * works; any thread may ask. A batch costs two plain writes.
 */
public final class WorkClock {
    private static final long IDLE = 0;

    private final AtomicLong since = new AtomicLong(IDLE);

    /**
     * Notes the start of a piece of work.
     *
     * @param now the time of {@link System#nanoTime}
     */
    public void begin(long now) {
        since.setOpaque(now == IDLE ? 1 : now);
    }

    /** Notes that the thread waits for work. */
    public void end() {
        since.setOpaque(IDLE);
    }

    /**
     * Returns for how many nanoseconds the thread has been at its piece of work; 0 if it waits.
     *
     * @param now the time of {@link System#nanoTime}
     */
    public long working(long now) {
        long began = since.getOpaque();
        return began == IDLE ? 0 : Math.max(0, now - began);
    }
}
