package dev.weir.storage.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The {@link UpdateLog.Tip} of a log for all threads, which may wait until it grows. */
final class PublishedTip {
    private volatile UpdateLog.Tip tip = new UpdateLog.Tip(0, 0, LeaderEpoch.NONE);
    private volatile boolean closed;

    /** Guards waits for updates. */
    private final Object growth = new Object();
    private volatile int waiting;

    UpdateLog.Tip get() {
        return tip;
    }

    /** Changes the tip, and wakes those who wait for it. */
    void set(UpdateLog.Tip next) {
        tip = next;
        wake();
    }

    private void wake() {
        if (waiting > 0) {
            synchronized (growth) {
                growth.notifyAll();
            }
        }
    }

    /** As {@link UpdateLog#awaitAfter}. */
    boolean awaitAfter(long revision, Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        synchronized (growth) {
            waiting++;
            try {
                for (long left = time.toNanos(); tip.revision() <= revision && !closed
                        && left > 0; left = end - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(growth, left);
                }
            } finally {
                waiting--;
            }
        }
        return tip.revision() > revision;
    }

    /** Ends all waits, also later ones. */
    void close() {
        closed = true;
        wake();
    }
}
