package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sender of outcomes to clients. The caller sends a few itself, which saves waking another thread. Of many, a
 * separate thread sends some while the caller makes the next changes visible. They never send at the same time, because
 * replies are built for one thread at a time. The outcomes of a batch may leave in another order than that of the log.
 */
final class ReplyDispatcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplyDispatcher.class);

    /** The maximum number of waiting portions, which bounds how far the caller is ahead. */
    private static final int MAX_WAITING = 64;

    /** The interval at which a waiting thread checks whether the other one is alive. */
    private static final long LOOK_MILLIS = 100;

    /** What became of an update: the methods of {@link QueuedUpdate.Outcome}. */
    enum Result {
        STORED, UNCONFIRMED, FAILED, IMPOSSIBLE
    }

    /** Updates with the same outcome. */
    record Portion(List<QueuedUpdate> updates, Result result) {}

    /** The end marker. */
    private static final Portion END = new Portion(List.of(), Result.STORED);

    private final Runnable sent;
    private final BlockingQueue<Portion> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final Object idle = new Object();
    private int unsent;
    private @Nullable Thread thread;

    /**
     * Creates a dispatcher without a thread.
     *
     * @param sent runs after the outcomes of a portion were sent
     */
    ReplyDispatcher(Runnable sent) {
        this.sent = sent;
    }

    /** Starts a separate thread. Without it, the caller sends the replies. */
    void start(Thread.UncaughtExceptionHandler died) {
        thread = Thread.ofPlatform().name("weir-replies").uncaughtExceptionHandler(died).start(this::run);
    }

    private void run() {
        try {
            for (Portion portion = waiting.take(); !portion.updates().isEmpty(); portion = waiting.take()) {
                perform(portion);
                synchronized (idle) {
                    unsent--;
                    idle.notifyAll();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread must not be interrupted", e);
        }
    }

    /** Sends the outcomes of a portion. */
    void send(Portion portion) {
        await();
        perform(portion);
    }

    /** Passes a portion to the other thread if possible. */
    void hand(Portion portion) {
        if (thread == null) {
            perform(portion);
            return;
        }
        synchronized (idle) {
            unsent++;
        }
        put(portion);
    }

    private void perform(Portion portion) {
        for (QueuedUpdate pending : portion.updates()) {
            QueuedUpdate.Outcome outcome = pending.outcome();
            switch (portion.result()) {
                case STORED -> outcome.stored();
                case UNCONFIRMED -> outcome.unconfirmed();
                case FAILED -> outcome.failed();
                case IMPOSSIBLE -> outcome.impossible();
            }
        }
        sent.run();
    }

    /** Blocks until all queued replies are sent. Throws {@link IllegalStateException} if the other thread has ended. */
    private void await() {
        synchronized (idle) {
            while (unsent > 0) {
                try {
                    idle.wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    LOG.warn("interrupted while waiting for replies to be sent; going on");
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
            throw new IllegalStateException("the thread that notifies clients has ended");
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
                    LOG.warn("interrupted while waiting for the last replies to be sent; going on");
                }
            }
        }
    }
}
