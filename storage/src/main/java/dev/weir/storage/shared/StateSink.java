package dev.weir.storage.shared;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import dev.weir.model.Update;
import dev.weir.storage.index.HashIndex;

/** The writer of a node, as those see it who bring states of Redis. */
@FunctionalInterface
public interface StateSink {

    /**
     * Has the thread of the writer compute updates from the index as it is, and apply them before anything else.
     *
     * @return completes when they are in the log and visible, or exceptionally if they are not
     */
    CompletableFuture<Void> change(Function<HashIndex, List<Update>> updates);
}
