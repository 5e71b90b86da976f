package dev.weir.http.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Closes connections whose time is over, and so wakes whoever reads from them or writes to them. One thread looks at all of
 * them twice a second: a deadline costs its connection one write of a number.
 */
final class Deadlines implements AutoCloseable {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(500);

    private final Set<Timed> open = ConcurrentHashMap.newKeySet();
    private final LongSupplier nanoTime;
    private final Thread thread;
    private volatile boolean closed;

    /** Something that is to be ended at a time. */
    interface Timed {
        /** When, in the nanoseconds of {@link System#nanoTime}. */
        long deadline();

        /** Ends it; called from another thread, at least once. */
        void expire();
    }

    Deadlines(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.thread = Thread.ofPlatform().name("weir-http-deadlines").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void add(Timed timed) {
        open.add(timed);
    }

    void remove(Timed timed) {
        open.remove(timed);
    }

    int size() {
        return open.size();
    }

    /** Ends what is over; the thread does nothing else. */
    void sweep() {
        long now = nanoTime.getAsLong();
        for (Timed timed : open) {
            if (timed.deadline() - now <= 0) {
                timed.expire();
            }
        }
    }

    /** Ends everything. */
    void expireAll() {
        open.forEach(Timed::expire);
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, TICK);
            sweep();
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
