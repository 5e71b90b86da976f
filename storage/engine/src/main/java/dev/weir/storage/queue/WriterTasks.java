package dev.weir.storage.queue;

import java.util.concurrent.ConcurrentLinkedQueue;

/** The work that other threads leave for the writer's thread. It runs between two batches. */
final class WriterTasks {
    private final UpdateQueue queue;
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    /**
     * Work on the thread of the writer.
     *
     * @param cancel takes the place of the work if the writer has ended
     */
    private record Task(Runnable work, Runnable cancel) {}

    /**
     * Creates an empty list.
     *
     * @param queue the queue on which the writer waits
     */
    WriterTasks(UpdateQueue queue) {
        this.queue = queue;
    }

    /**
     * Leaves work. Any thread may call it.
     *
     * @param cancel takes the place of the work if the writer has ended; runs on this thread or that of the writer
     */
    void add(Runnable work, Runnable cancel) {
        tasks.add(new Task(work, cancel));
        queue.wake();
        if (ended) {
            cancelAll();
        }
    }

    /** Returns whether the writer has ended. Any thread may ask. */
    boolean hasEnded() {
        return ended;
    }

    /** Runs the work. For the writer's thread. */
    void runAll() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.work().run();
        }
    }

    /** Cancels what is left, and what comes later. For the writer's thread. */
    void end() {
        ended = true;
        cancelAll();
    }

    private void cancelAll() {
        for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
            task.cancel().run();
        }
    }
}
