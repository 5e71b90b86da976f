package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells clients how their updates ended. A few are told by the caller, which saves waking another thread; of many a
 * thread of its own tells some while the caller makes the changes of the next ones visible. Never both at once, since
 * what makes the replies is for one thread at a time. Outcomes of a batch may be told in another order than that of the
 * log.
 */
final class Teller implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Teller.class);

    /** Portions that may wait: the caller is not to run far ahead of what clients are told. */
    private static final int MAX_WAITING = 64;

    /** How often a thread that waits for the other one looks whether it is still there. */
    private static final long LOOK_MILLIS = 100;

    /**
     * Updates that ended alike.
     *
     * @param stored whether they are in the log and visible
     */
    record Portion(List<QueuedUpdate> updates, boolean stored) {}

    /** Comes after the last one. */
    private static final Portion END = new Portion(List.of(), true);

    private final Runnable told;
    private final BlockingQueue<Portion> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Object idle = new Object();
    private int untold;
    private @Nullable Thread thread;

    /**
     * A teller without a thread.
     *
     * @param told is run after the clients of a portion were told
     */
    Teller(Runnable told) {
        this.told = told;
    }

    /** Gives it a thread of its own; without one, the caller sends the replies. */
    void start(Thread.UncaughtExceptionHandler died) {
        thread = Thread.ofPlatform().name("weir-teller").uncaughtExceptionHandler(died).start(this::run);
    }

    private void run() {
        try {
            for (Portion portion = waiting.take(); !portion.updates().isEmpty(); portion = waiting.take()) {
                perform(portion);
                synchronized (idle) {
                    untold--;
                    idle.notifyAll();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread must not be interrupted", e);
        }
    }

    /** Tells a portion and returns when that is done. */
    void tell(Portion portion) {
        await();
        perform(portion);
    }

    /** Has a portion told, if possible by the other thread. */
    void hand(Portion portion) {
        if (thread == null) {
            perform(portion);
            return;
        }
        synchronized (idle) {
            untold++;
        }
        put(portion);
    }

    private void perform(Portion portion) {
        for (QueuedUpdate pending : portion.updates()) {
            if (portion.stored()) {
                pending.outcome().stored();
            } else {
                pending.outcome().failed();
            }
        }
        told.run();
    }

    /** Blocks until all queued replies are sent; an {@link IllegalStateException} if the other thread has ended. */
    private void await() {
        synchronized (idle) {
            while (untold > 0) {
                try {
                    idle.wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    LOG.warn("interrupted while waiting for clients to be told; going on");
                }
                checkAlive();
            }
        }
    }

    private void put(Portion portion) {
        while (true) {
            try {
                if (waiting.offer(portion, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                LOG.warn("interrupted while handing replies over; going on");
            }
            checkAlive();
        }
    }

    private void checkAlive() {
        if (thread != null && !thread.isAlive()) {
            throw new IllegalStateException("the thread that tells clients has ended");
        }
    }

    /** Sends all queued replies and ends the thread. */
    @Override
    public void close() {
        Thread running = thread;
        if (running != null) {
            if (running.isAlive()) {
                put(END);
            }
            thread = null;
            while (running.isAlive()) {
                try {
                    running.join();
                } catch (InterruptedException e) {
                    LOG.warn("interrupted while waiting for the last clients to be told; going on");
                }
            }
        }
    }
}
