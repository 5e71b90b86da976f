package dev.weir.storage.log;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.weir.storage.Trouble;

/**
 * Something that follows the update log, as the rest of the storage sees it: the store, its mirror, a shared Redis, a
 * slave, a follower. Any thread may call it.
 */
public interface LogConsumer {
    /** Longer than any process runs, and short enough to count in nanoseconds. */
    Duration FOREVER = Duration.ofDays(36_500);

    /** Returns its place and its state. */
    ConsumerStatus status();

    /** Returns what an operator must fix, the most important first. */
    default List<Trouble> troubles() {
        return List.of();
    }

    /**
     * Has it take now what it would take later. Completes with its revision, or with the failure; at once for a
     * consumer that never waits.
     */
    default CompletableFuture<Long> sync() {
        return CompletableFuture.completedFuture(status().position());
    }

    /** Ends it when it has everything, cannot go on, or the time is over; after {@link #FOREVER}, only the first. */
    default void finish(Duration atMost) {}
}
