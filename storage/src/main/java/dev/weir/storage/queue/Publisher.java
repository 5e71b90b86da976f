package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.index.HashIndex;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes batches that are in the log visible and tells their clients, in the order of the log. The writer does that itself
 * while nothing else waits for it, which saves waking another thread; else a thread of the publisher's own does it while
 * the writer goes on with the next batch. Never both at once, so that the index has one writer at a time.
 */
final class Publisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    /** Batches that may wait for their publication: the writer is not to run far ahead of what clients are told. */
    private static final int MAX_WAITING = 4;

    /** Clients whose replies leave together: the first of many need not wait for the last. */
    private static final int TOLD_TOGETHER = 16;

    /** How often a thread that waits for the other one looks whether it is still there. */
    private static final long LOOK_MILLIS = 100;

    /**
     * A batch after its way to the log.
     *
     * @param fresh what is in the log now and changes the index, in the order of the log
     * @param others who are to be told after that: those whose request changes nothing, or everybody if nothing is in
     *            the log
     * @param stored whether the request of the others is in the log
     */
    record Batch(List<PendingUpdate> fresh, List<PendingUpdate> others, boolean stored) {
        boolean isNothing() {
            return fresh.isEmpty() && others.isEmpty();
        }
    }

    /** Comes after the last one. */
    private static final Batch END = new Batch(List.of(), List.of(), true);

    private final HashIndex index;
    private final Runnable told;
    private final BlockingQueue<Batch> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Object idle = new Object();
    private int unpublished;
    private @Nullable Thread thread;

    /**
     * A publisher without a thread.
     *
     * @param told is run after clients of a batch were told, at the latest after the last one
     */
    Publisher(HashIndex index, Runnable told) {
        this.index = index;
        this.told = told;
    }

    /** Gives it a thread of its own; without one, everything is published by the caller. */
    void start(Thread.UncaughtExceptionHandler died) {
        thread = Thread.ofPlatform().name("weir-publisher").uncaughtExceptionHandler(died).start(this::run);
    }

    private void run() {
        try {
            for (Batch batch = waiting.take(); !batch.isNothing(); batch = waiting.take()) {
                perform(batch);
                synchronized (idle) {
                    unpublished--;
                    idle.notifyAll();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody has a reason to interrupt this thread", e);
        }
    }

    /** Publishes a batch and returns when that is done. */
    void publish(Batch batch) {
        await();
        perform(batch);
    }

    /** Has a batch published, if possible by the other thread. */
    void hand(Batch batch) {
        if (thread == null) {
            perform(batch);
            return;
        }
        synchronized (idle) {
            unpublished++;
        }
        put(batch);
    }

    /**
     * Waits until everything is published that was handed over.
     *
     * @throws IllegalStateException if the other thread has ended
     */
    void await() {
        synchronized (idle) {
            while (unpublished > 0) {
                try {
                    idle.wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    LOG.warn("interrupted while waiting for a publication; going on");
                }
                checkAlive();
            }
        }
    }

    private void put(Batch batch) {
        while (true) {
            try {
                if (waiting.offer(batch, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                LOG.warn("interrupted while handing a batch over; going on");
            }
            checkAlive();
        }
    }

    private void checkAlive() {
        if (thread != null && !thread.isAlive()) {
            throw new IllegalStateException("the thread that publishes updates has ended");
        }
    }

    /** The first clients of a long batch are told before its last updates are visible, so that they go on meanwhile. */
    private void perform(Batch batch) {
        int sinceFlush = 0;
        for (PendingUpdate pending : batch.fresh()) {
            index.apply(pending.update());
            pending.outcome().stored();
            if (++sinceFlush == TOLD_TOGETHER) {
                told.run();
                sinceFlush = 0;
            }
        }
        for (PendingUpdate pending : batch.others()) {
            if (batch.stored()) {
                pending.outcome().stored();
            } else {
                pending.outcome().failed();
            }
        }
        told.run();
    }

    /** Publishes what was handed over and ends the thread. */
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
                    LOG.warn("interrupted while waiting for the last publication; going on");
                }
            }
        }
    }
}
