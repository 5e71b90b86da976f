package dev.weir.scan.client;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.os.ThreadScheduling;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one thing after another: what sockets have, what is due, and what threads want done. Its own thread waits for
 * sockets
 * and for the time. What another thread wants done that thread does itself unless another one has the turn; otherwise
 * the one that
 * has it does it before he ends his turn. So a question goes out without waking the thread of the loop, which would
 * cost
 * more than all that the question needs. The thread that has the turn is "on the loop".
 */
final class EventLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final long MILLI = 1_000_000;
    /** Tasks that are run before sockets are looked at again. */
    private static final int BATCH = 256;

    /** Told when a channel can be read, written or connected. */
    interface Handler {
        void ready(SelectionKey key) throws IOException;
    }

    /** Something that is to happen at a time; cancelling it costs nothing. */
    static final class Timer {
        private final long at;
        private final Runnable action;
        private boolean cancelled;

        private Timer(long at, Runnable action) {
            this.at = at;
            this.action = action;
        }

        void cancel() {
            cancelled = true;
        }
    }

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Held by the thread that does something. Only the loop's thread ever waits for it. */
    private final ReentrantLock turn = new ReentrantLock();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.compare(a.at - b.at, 0));
    private final Thread thread;
    private volatile boolean closed;
    private Runnable atEnd = () -> {};
    /** Until when the thread sleeps unless a socket or a wake-up ends it; this and what follows is for the turn. */
    private long sleepsUntil;
    private boolean sleepsForEver;
    /** Whether there is something that the selector sees only at its next call. */
    private boolean selectorIsStale;
    private boolean ended;

    EventLoop(String name) throws IOException {
        selector = Selector.open();
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** Begins; the action is the last one on the loop. */
    void start(Runnable whenEnding) {
        atEnd = whenEnding;
        thread.start();
    }

    /**
     * Has something done on the loop, from any thread: by this one before it returns, or by the one that has the turn.
     * What is
     * asked for on the loop is done when that which asks is done.
     *
     * @return false if the loop has ended, and then it is not done
     */
    boolean execute(Runnable task) {
        if (closed) {
            return false;
        }
        tasks.add(task);
        if (!turn.isHeldByCurrentThread()) {
            takeTurns();
        }
        // A thread that closed the loop meanwhile emptied the queue; otherwise this thread must.
        return !closed || !tasks.remove(task);
    }

    private void takeTurns() {
        // The thread that has the turn looks once more after giving it away, so nothing is left if this thread does not
        // get it.
        while (!tasks.isEmpty() && turn.tryLock()) {
            boolean wake;
            try {
                if (ended) {
                    return;
                }
                runTasks();
                wake = selectorIsStale || !tasks.isEmpty() || isOverslept();
            } finally {
                turn.unlock();
            }
            if (wake) {
                // It takes over what is left as well: no caller works for others for ever.
                selector.wakeup();
                return;
            }
        }
    }

    /** Whether the thread would sleep for longer than the next timer allows. */
    private boolean isOverslept() {
        Timer next = timers.peek();
        return next != null && (sleepsForEver || next.at - sleepsUntil < 0);
    }

    /** On the loop only. */
    Timer after(long nanos, Runnable action) {
        Timer timer = new Timer(System.nanoTime() + nanos, action);
        timers.add(timer);
        return timer;
    }

    /** On the loop only. */
    SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
        selectorIsStale = true;
        return channel.register(selector, operations, handler);
    }

    /** On the loop only: what a channel is waited for changed, or one was closed. */
    void channelChanged() {
        selectorIsStale = true;
    }

    private void run() {
        // Each answer wakes this thread, and a scan that it interrupts loses more time than the answer needs.
        ThreadScheduling.useBatchPolicy();
        long wait = 1;
        while (!closed) {
            try {
                if (tasks.isEmpty()) {
                    selector.select(wait);
                } else {
                    selector.selectNow();
                }
            } catch (IOException e) {
                LOG.error("the sockets of storages cannot be waited for", e);
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

    /** Milliseconds to wait, at least 1; 0 is for ever, and only without timers. */
    private long untilNext() {
        while (!timers.isEmpty() && timers.element().cancelled) {
            timers.remove();
        }
        Timer next = timers.peek();
        sleepsForEver = next == null;
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
            LOG.warn("a socket to a storage failed: {}", e.toString(), e);
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
            if (!timer.cancelled) {
                safely(timer.action);
            }
        }
    }

    private static void safely(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("a mistake in the client of storages", e);
        }
    }

    /** Ends the loop and waits for its end, unless that is asked for on the loop. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        if (turn.isHeldByCurrentThread()) {
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
