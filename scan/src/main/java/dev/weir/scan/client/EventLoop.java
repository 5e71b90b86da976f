package dev.weir.scan.client;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that waits for sockets, for the time to pass, and for what other threads want done. */
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
    private final AtomicBoolean awake = new AtomicBoolean();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.compare(a.at - b.at, 0));
    private final Thread thread;
    private volatile boolean closed;
    private Runnable atEnd = () -> {};

    EventLoop(String name) throws IOException {
        selector = Selector.open();
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** Begins; the action runs on the loop as its last one. */
    void start(Runnable whenEnding) {
        atEnd = whenEnding;
        thread.start();
    }

    /** Runs something on the loop, from any thread; false if the loop has ended. */
    boolean execute(Runnable task) {
        if (closed) {
            return false;
        }
        tasks.add(task);
        if (!Thread.currentThread().equals(thread) && awake.compareAndSet(false, true)) {
            selector.wakeup();
        }
        // Whoever closes the loop meanwhile has emptied the queue, or this thread has to.
        return !closed || !tasks.remove(task);
    }

    /** On the loop only. */
    Timer after(long nanos, Runnable action) {
        final Timer timer = new Timer(System.nanoTime() + nanos, action);
        timers.add(timer);
        return timer;
    }

    /** On the loop only. */
    SelectionKey register(SelectableChannel channel, int operations, Handler handler) throws IOException {
        return channel.register(selector, operations, handler);
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(this::handle, untilNext());
            } catch (final IOException e) {
                LOG.error("the sockets of storages cannot be waited for", e);
                closed = true;
            }
            awake.set(false);
            runTasks();
            runTimers();
        }
        while (!tasks.isEmpty()) {
            runTasks();
        }
        atEnd.run();
        try {
            selector.close();
        } catch (final IOException e) {
            LOG.debug("a selector did not close", e);
        }
    }

    /** Milliseconds to wait, at least 1; 0 is for ever, and only without timers. */
    private long untilNext() {
        if (!tasks.isEmpty()) {
            return 1;
        }
        while (!timers.isEmpty() && timers.element().cancelled) {
            timers.remove();
        }
        final Timer next = timers.peek();
        if (next == null) {
            return 0;
        }
        return Math.max(1, (next.at - System.nanoTime() + MILLI - 1) / MILLI);
    }

    private void handle(SelectionKey key) {
        try {
            ((Handler) key.attachment()).ready(key);
        } catch (final IOException | RuntimeException e) {
            LOG.warn("a socket to a storage failed: {}", e.toString(), e);
        }
    }

    private void runTasks() {
        for (int i = 0; i < BATCH; i++) {
            final Runnable task = tasks.poll();
            if (task == null) {
                return;
            }
            safely(task);
        }
        selector.wakeup();
    }

    private void runTimers() {
        final long now = System.nanoTime();
        while (!timers.isEmpty() && timers.element().at - now <= 0) {
            final Timer timer = timers.remove();
            if (!timer.cancelled) {
                safely(timer.action);
            }
        }
    }

    private static void safely(Runnable action) {
        try {
            action.run();
        } catch (final RuntimeException e) {
            LOG.error("a mistake in the client of storages", e);
        }
    }

    /** Ends the loop and waits for its end, unless the loop itself asks. */
    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        if (Thread.currentThread().equals(thread)) {
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
