package dev.weir.scan.client;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.model.failure.Reason;
import dev.weir.os.UninterruptibleJoin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop that runs one action at a time: socket events, timers, and tasks of other threads. Its own thread waits for
 * sockets and timers. A thread that submits a task runs it itself if it can take the turn; otherwise the thread that
 * has the turn runs it before ending the turn. A question is therefore sent without waking the loop's thread, which
 * would cost more than the rest of the question. The thread that has the turn is "on the loop".
 */
final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final long MILLI = 1_000_000;
    /** The maximum number of tasks to run before sockets are checked again. */
    private static final int BATCH = 256;

    /** A callback for a channel that is ready to read, write or connect. */
    interface Handler {
        void ready(SelectionKey key) throws IOException;
    }

    /** An action with a due time. Canceling it costs nothing. */
    static final class Timer {
        private final long at;
        private final Runnable action;
        private boolean canceled;

        private Timer(long at, Runnable action) {
            this.at = at;
            this.action = action;
        }

        void cancel() {
            canceled = true;
        }
    }

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Held by the thread that is on the loop. Only the loop's own thread ever waits for it. */
    private final ReentrantLock turn = new ReentrantLock();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.compare(a.at - b.at, 0));
    private final Thread thread;
    private volatile boolean closed;
    private Runnable atStart = () -> {};
    private Runnable atEnd = () -> {};
    /**
     * When the sleeping loop thread wakes up without a socket event. This and the following fields are for the thread
     * on the loop.
     */
    private long sleepsUntil;
    private boolean sleepsForever;
    /** Whether a change of the channels takes effect only at the next call of the selector. */
    private boolean selectorIsStale;
    private boolean ended;

    EventLoop(String name) throws IOException {
        selector = Selector.open();
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** Starts the loop. The given actions are the first and the last ones to run on its thread. */
    void start(Runnable whenStarting, Runnable whenEnding) {
        atStart = whenStarting;
        atEnd = whenEnding;
        thread.start();
    }

    /**
     * Runs a task on the loop, from any thread. The calling thread runs it before this method returns, or leaves it to
     * the thread that has the turn. A task that is submitted on the loop runs after the current action.
     *
     * @return false if the loop has ended and the task will not run
     */
    boolean execute(Runnable task) {
        if (closed) {
            return false;
        }
        tasks.add(task);
        if (!turn.isHeldByCurrentThread()) {
            takeTurns();
        }
        // If the loop was closed meanwhile, either its end emptied the queue or this thread must remove the task.
        return !closed || !tasks.remove(task);
    }

    private void takeTurns() {
        // The thread that has the turn checks the queue again after the turn, so no task is lost if this thread does
        // not get it.
        while (!tasks.isEmpty() && turn.tryLock()) {
            boolean wake;
            try {
                if (ended) {
                    return;
                }
                runTasks();
                wake = selectorIsStale || !tasks.isEmpty() || sleepsTooLong();
            } finally {
                turn.unlock();
            }
            if (wake) {
                // The loop's thread takes over the remaining tasks too, so no caller works for others indefinitely.
                selector.wakeup();
                return;
            }
        }
    }

    /** Returns whether the loop's thread would sleep past the next timer. */
    private boolean sleepsTooLong() {
        Timer next = timers.peek();
        return next != null && (sleepsForever || next.at - sleepsUntil < 0);
    }

    /** Schedules an action. On the loop only. */
    Timer after(long nanos, Runnable action) {
        Timer timer = new Timer(System.nanoTime() + nanos, action);
        timers.add(timer);
        return timer;
    }

    /** Registers a channel. On the loop only. */
    SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
        selectorIsStale = true;
        return channel.register(selector, operations, handler);
    }

    /** Announces that the interest set of a channel changed, or that a channel was closed. On the loop only. */
    void channelChanged() {
        selectorIsStale = true;
    }

    private void run() {
        atStart.run();
        long wait = 1;
        while (!closed) {
            try {
                if (tasks.isEmpty()) {
                    selector.select(wait);
                } else {
                    selector.selectNow();
                }
            } catch (IOException e) {
                LOG.error("waiting for the sockets of storages failed", e);
                closed = true;
            }
            turn.lock();
            try {
                selector.selectedKeys().forEach(this::handle);
                selector.selectedKeys().clear();
                runTasks();
                runTimers();
                wait = untilNext();
                selectorIsStale = false;
            } finally {
                turn.unlock();
            }
        }
        end();
    }

    private void end() {
        turn.lock();
        try {
            while (!tasks.isEmpty()) {
                runTasks();
            }
            atEnd.run();
            ended = true;
        } finally {
            turn.unlock();
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("a selector did not close", e);
        }
    }

    /** Returns the milliseconds to wait, at least 1. Returns 0, which means forever, if there are no timers. */
    private long untilNext() {
        while (!timers.isEmpty() && timers.element().canceled) {
            timers.remove();
        }
        Timer next = timers.peek();
        sleepsForever = next == null;
        if (next == null) {
            return 0;
        }
        sleepsUntil = next.at;
        return Math.max(1, (next.at - System.nanoTime() + MILLI - 1) / MILLI);
    }

    private void handle(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        try {
            ((Handler) key.attachment()).ready(key);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            LOG.warn("a socket to a storage failed: {}", Reason.of(e), e);
        }
    }

    private void runTasks() {
        for (int i = 0; i < BATCH; i++) {
            Runnable task = tasks.poll();
            if (task == null) {
                return;
            }
            safely(task);
        }
    }

    private void runTimers() {
        long now = System.nanoTime();
        while (!timers.isEmpty() && timers.element().at - now <= 0) {
            Timer timer = timers.remove();
            if (!timer.canceled) {
                safely(timer.action);
            }
        }
    }

    private static void safely(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("a bug in the storage client", e);
        }
    }

    /** Ends the loop. Waits for its end unless called on the loop. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        if (turn.isHeldByCurrentThread()) {
            return;
        }
        UninterruptibleJoin.of(thread);
    }
}
