package dev.weir.storage.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongConsumer;

import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.StorageClock;

/** A consumer of an engine's log that starts and ends with the engine. The engine calls it in the order below. */
public interface AttachedConsumer extends LogConsumer {
    /**
     * The state of a copy of the hashes for other programs.
     *
     * @param lacking number of updates that it lacks
     * @param failure why it cannot be written at present; empty if it can
     */
    record Copy(long lacking, String failure) {}

    /** Starts its threads. */
    void start();

    /** Takes note of an update that is about to become visible. On the thread of the writer. */
    default void appearing(QueuedUpdate logged) {}

    /**
     * Takes note of an update that became visible. On the thread of the writer.
     *
     * @param revision its number
     */
    default void appeared(long revision, QueuedUpdate logged) {}

    /** Reports the time of another machine to the clock. Called about once a minute. */
    default void reportTime(StorageClock clock) {}

    /** Returns the state of the copy that this consumer keeps; empty if it keeps none. Any thread may ask. */
    default Optional<Copy> copy() {
        return Optional.empty();
    }

    /** Returns how damage was found; empty if there is none. Any thread may ask. */
    default String damage() {
        return "";
    }

    /** Stops what hands updates to the writer, which still runs. */
    default void stopListening() {}

    /**
     * Waits for the end of its threads, after {@link #finish}.
     *
     * @param waiting receives the number of updates that it lacks, at an interval
     */
    default void awaitEnd(Duration interval, LongConsumer waiting) {}

    /**
     * Logs what the end of the engine leaves behind.
     *
     * @param hashes number of stored hashes
     */
    default void reportEnd(long hashes) {}
}
