package dev.weir.storage;

import java.util.List;

/**
 * Updates that become durable together.
 *
 * @param revision counts batches from 1 without gaps; a backend that is already there or further ignores the batch
 * @param time seconds since the epoch
 * @param updates in the order in which they arrived
 */
public record UpdateBatch(long revision, long time, List<Update> updates) {

    /** Copies the list. */
    public UpdateBatch {
        updates = List.copyOf(updates);
    }
}
