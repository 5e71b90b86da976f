package dev.weir.storage;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

import dev.weir.model.Update;

/**
 * Updates that a backend takes over together.
 *
 * @param first revision of the first update; every update has one, counted from 1 without gaps
 * @param time seconds since the epoch
 * @param updates in the order in which they arrived, at least one
 * @param arrivals one for each update; empty for an update of the storage itself
 */
public record UpdateBatch(long first, long time, List<Update> updates, List<Optional<Arrival>> arrivals) {

    /** A batch of updates of which nothing else is known. */
    public UpdateBatch(long first, long time, List<Update> updates) {
        this(first, time, updates, Collections.nCopies(updates.size(), Optional.empty()));
    }

    /** Copies the lists. */
    public UpdateBatch {
        updates = List.copyOf(updates);
        arrivals = List.copyOf(arrivals);
        if (arrivals.size() != updates.size()) {
            throw new IllegalArgumentException(arrivals.size() + " arrivals for " + updates.size() + " updates");
        }
        if (updates.isEmpty()) {
            throw new IllegalArgumentException("a batch without updates");
        }
    }

    /** Revision of the last update. */
    public long last() {
        return first + updates.size() - 1;
    }
}
