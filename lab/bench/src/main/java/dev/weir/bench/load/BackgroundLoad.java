package dev.weir.bench.load;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A load on a thread of its own.
 *
 * @param <T> what the load measures
 */
public final class BackgroundLoad<T> {
    private final FutureTask<T> task;

    private BackgroundLoad(FutureTask<T> task) {
        this.task = task;
    }

    /**
     * Starts a load.
     *
     * @param name the name of the thread
     */
    public static <T> BackgroundLoad<T> start(String name, Callable<T> load) {
        FutureTask<T> task = new FutureTask<>(load);
        Thread.ofPlatform().name(name).daemon().start(task);
        return new BackgroundLoad<>(task);
    }

    /**
     * Waits for the end of the load.
     *
     * @throws IOException if the load failed
     */
    public T await() throws IOException, InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new IOException("the load failed", e.getCause());
        }
    }
}
