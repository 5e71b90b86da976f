package dev.weir.storage.queue;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The thread behind the log: it brings updates from the log or the index to where the next start finds them, and then
 * releases the log. {@link #close} is for after its end.
 */
public interface LogFollower extends Runnable, Closeable {

    /** Why nothing can be written at the moment; empty if it can. Any thread may ask. */
    String failure();

    /** How it was found that stored data is damaged; empty if it was not. Any thread may ask. */
    String damage();

    /** Asks for a sync now; completes with the revision up to which the log is released, or with what went wrong. */
    CompletableFuture<Long> sync();

    /** Lets {@link #run} return when everything is written, nothing can be written, or the time is over. */
    void finish(Duration atMost);

    /** Lets {@link #run} return when everything is written, however long that takes. */
    void finish();

    /** Does once what is due; false if that failed. */
    boolean turn();
}
