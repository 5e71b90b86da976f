package dev.weir.storage.queue;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The thread behind the log. It copies updates from the log or the index to the place where the next start finds them,
 * and then releases the log. Call {@link #close} after its end.
 */
public interface LogFollower extends Runnable, Closeable {

    /** Returns why nothing can be written at present; empty if it can. Any thread may ask. */
    String failure();

    /** Returns how damage of stored data was found; empty if there is none. Any thread may ask. */
    String damage();

    /** Requests a sync now. Completes with the revision up to which the log is released, or with the failure. */
    CompletableFuture<Long> sync();

    /** Makes {@link #run} return when everything is written, nothing can be written, or the time is over. */
    void finish(Duration atMost);

    /** Makes {@link #run} return when everything is written, however long that takes. */
    void finish();

    /** Does the due work once. Returns false if that failed. */
    boolean turn();
}
