package dev.weir.storage.queue;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.Update;

/** The numbers of updates since the start. The writer's thread counts; any thread may ask. */
final class UpdateCounts {
    private final LongAdder stored = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final LongAdder refreshed = new LongAdder();
    private final LongAdder unreplicated = new LongAdder();

    /** Counts updates of the log by their kind. */
    void addLogged(List<QueuedUpdate> updates) {
        for (QueuedUpdate pending : updates) {
            switch (pending.update()) {
                case Update.Refresh refresh -> refreshed.increment();
                case Update.Expire expire -> expired.increment();
                case Update.Write write -> stored.increment();
                case Update.Delete delete -> stored.increment();
                case Update.DeleteAll delete -> stored.increment();
            }
        }
    }

    /** Counts updates that could not be stored. */
    void addFailed(int updates) {
        failed.add(updates);
    }

    /** Counts a repeated request that is acknowledged again. */
    void addRepeated() {
        repeated.increment();
    }

    /** Counts flags that were removed because of their age. */
    void addExpired(int flags) {
        expired.add(flags);
    }

    /** Counts stored updates whose clients get an error because too few other nodes have them. */
    void addUnreplicated(int updates) {
        unreplicated.add(updates);
    }

    long stored() {
        return stored.sum();
    }

    long failed() {
        return failed.sum();
    }

    long repeated() {
        return repeated.sum();
    }

    long expired() {
        return expired.sum();
    }

    long refreshed() {
        return refreshed.sum();
    }

    long unreplicated() {
        return unreplicated.sum();
    }
}
