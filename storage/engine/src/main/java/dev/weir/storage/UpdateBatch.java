package dev.weir.storage;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.Update;

/**
 * A batch of updates that a backend applies together.
 *
 * @param first the revision of the first update; revisions count from 1 without gaps
 * @param time the time of the batch in seconds since the epoch
 * @param updates at least one update, in order of arrival
 * @param arrivals one element per update; empty for updates that the storage makes itself
 * @param history the running checksum of the log up to the last update; empty if it is not known
 */
public record UpdateBatch(long first, long time, List<Update> updates, List<Optional<AuditEntry>> arrivals,
        OptionalLong history) {

    /** Creates a batch of updates without known arrivals and history. */
    public UpdateBatch(long first, long time, List<Update> updates) {
        this(first, time, updates, Collections.nCopies(updates.size(), Optional.empty()), OptionalLong.empty());
    }

    /** Copies the lists. */
    public UpdateBatch {
        updates = List.copyOf(updates);
        arrivals = List.copyOf(arrivals);
        if (arrivals.size() != updates.size()) {
            throw new IllegalArgumentException(arrivals.size() + " arrivals for " + updates.size() + " updates");
        }
        if (updates.isEmpty()) {
            throw new IllegalArgumentException("a batch requires at least one update");
        }
    }

    /** Returns the revision of the last update. */
    public long last() {
        return first + updates.size() - 1;
    }
}
