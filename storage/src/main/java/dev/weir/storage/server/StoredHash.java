package dev.weir.storage.server;

import java.util.List;

/**
 * A hash as it is stored.
 *
 * @param slots its flags, the one that is answered first in front; at least one
 */
public record StoredHash(List<Slot> slots) {
    /**
     * A flag of a hash.
     *
     * @param flag which list
     * @param value the summed votes
     * @param time seconds since the epoch of the last change
     */
    public record Slot(int flag, long value, long time) {}

    /** Copies the list. */
    public StoredHash {
        slots = List.copyOf(slots);
    }
}
