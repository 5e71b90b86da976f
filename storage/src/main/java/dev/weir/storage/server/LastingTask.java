package dev.weir.storage.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that an executor runs again and again, whatever happens: executors drop a periodic task for good, and without
 * a word, when it throws once. The first failure in a row is logged with its cause; each one is counted. For one
 * thread.
 */
public final class LastingTask implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LastingTask.class);

    private final String name;
    private final Runnable task;
    private final Runnable failed;
    private boolean failing;

    /**
     * A task that survives its failures.
     *
     * @param name what it does, as the subject of "failed"
     * @param failed is told of each failure
     */
    public LastingTask(String name, Runnable task, Runnable failed) {
        this.name = name;
        this.task = task;
        this.failed = failed;
    }

    // An OutOfMemoryError of one run says nothing about the next one.
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
                LOG.error("{} failed; it is tried again, and further failures are only counted", name, e);
            }
        }
    }
}
