package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import dev.weir.model.Update;
import dev.weir.storage.index.HashIndex;

/** The writer, as those see it who bring states of other nodes. */
@FunctionalInterface
public interface StateSink {
    /**
     * Has the thread of the writer compute updates from the index as it is, within 50 ms, and apply them before
     * anything else.
     *
     * @return completes when they are in the log and visible, or exceptionally if they are not
     */
    CompletableFuture<Void> change(Function<HashIndex, List<Update>> updates);
}
