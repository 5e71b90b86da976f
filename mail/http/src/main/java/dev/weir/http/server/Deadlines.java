package dev.weir.http.server;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watcher that ends connections and waits for the scanner when their time is over. One thread looks at all of them
 * twice a second, so a deadline costs almost nothing. A timed wait of the JDK would cost a virtual thread two wake-ups
 * of another thread. Thread-safe; {@link #start} once, {@link #close} once.
 */
public final class Deadlines implements AutoCloseable {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Logger LOG = LoggerFactory.getLogger(Deadlines.class);
    private static final AtomicBoolean FAILED = new AtomicBoolean();

    private final Set<Timed> open = ConcurrentHashMap.newKeySet();
    private final LongSupplier nanoTime;
    private final Thread thread;
    private volatile boolean closed;

    /** Something with a deadline. */
    public interface Timed {
        /** Returns the deadline in nanoseconds of {@link System#nanoTime}. */
        long deadline();

        /** Ends it. Another thread calls this, at least once. */
        void expire();
    }

    /**
     * Creates a watcher without a thread.
     *
     * @param name the name of the thread
     * @param nanoTime a clock like {@link System#nanoTime}
     */
    public Deadlines(String name, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** Watches something. */
    public void add(Timed timed) {
        open.add(timed);
    }

    /** Stops watching something that ended before its deadline. */
    public void remove(Timed timed) {
        open.remove(timed);
    }

    /** Ends everything that is over its deadline. The thread does nothing else. */
    void sweep() {
        long now = nanoTime.getAsLong();
        end(timed -> timed.deadline() - now <= 0);
    }

    private void end(Predicate<Timed> which) {
        for (Timed timed : open) {
            try {
                if (which.test(timed)) {
                    timed.expire();
                }
            } catch (RuntimeException | Error e) {
                // A failure must not keep the rest from ending, now and later.
                if (FAILED.compareAndSet(false, true)) {
                    LOG.error("something could not be ended in time; further failures are not logged", e);
                }
            }
        }
    }

    /** Ends everything. */
    public void expireAll() {
        end(_ -> true);
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
