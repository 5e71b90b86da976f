package dev.weir.storage.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The {@link UpdateLog.Tip} of a log for all threads, which may wait until it grows. */
final class PublishedTip {
    private volatile UpdateLog.Tip tip = new UpdateLog.Tip(0, 0, LogEpoch.NONE);
    private volatile boolean closed;

    /** Guards waits for updates. */
    private final Object growth = new Object();
    private volatile int waiting;

    UpdateLog.Tip get() {
        return tip;
    }

    /** Changes the tip. {@link #tell} tells those who wait. */
    void set(UpdateLog.Tip next) {
        tip = next;
    }

    /** Wakes those who wait, to look at the tip. */
    void tell() {
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

    /** Makes later waits end at once. Those that go on last until their time is over. */
    void close() {
        closed = true;
    }
}
