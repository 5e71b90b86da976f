package dev.weir.storage.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A periodic task that survives its failures. Executors silently cancel a periodic task when it throws. This wrapper
 * counts each failure and logs the first of consecutive failures with its cause. For one thread.
 */
public final class LastingTask implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LastingTask.class);

    private final String name;
    private final Runnable task;
    private final Runnable failed;
    private boolean failing;

    /**
     * Creates a task.
     *
     * @param name the name of the task, as the subject of "failed"
     * @param failed a callback for each failure
     */
    public LastingTask(String name, Runnable task, Runnable failed) {
        this.name = name;
        this.task = task;
        this.failed = failed;
    }

    // Even after an OutOfMemoryError, the next run may succeed.
    @SuppressWarnings("PMD.AvoidCatchingThrowable")
    @Override
    public void run() {
        try {
            task.run();
            failing = false;
        } catch (Throwable e) {
            failed.run();
            if (!failing) {
                failing = true;
                LOG.error("{} failed and will be retried; further failures are only counted", name, e);
            }
        }
    }
}
