package dev.weir.storage;

import java.util.List;

/**
 * Updates that a backend takes over together.
 *
 * @param first revision of the first update; every update has one, counted from 1 without gaps
 * @param time seconds since the epoch
 * @param updates in the order in which they arrived, at least one
 */
public record UpdateBatch(long first, long time, List<Update> updates) {

    /** Copies the list. */
    public UpdateBatch {
        updates = List.copyOf(updates);
        if (updates.isEmpty()) {
            throw new IllegalArgumentException("a batch without updates");
        }
    }

    /** Revision of the last update. */
    public long last() {
        return first + updates.size() - 1;
    }
}
