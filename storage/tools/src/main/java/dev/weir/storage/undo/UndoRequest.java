package dev.weir.storage.undo;

import java.util.List;

import dev.weir.model.Digest;
import dev.weir.storage.trail.TrailFilter;

/**
 * What to take back: whole hashes, or everything that selected changes brought.
 *
 * @param filter the changes; for whole hashes, only its flag counts
 * @param digests the hashes; empty for the changes
 */
public record UndoRequest(TrailFilter filter, List<Digest> digests) {
    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if neither hashes nor an origin or a time are given, which would be everything
     */
    public UndoRequest {
        digests = List.copyOf(digests);
        if (digests.isEmpty() && !filter.namesOrigin()) {
            throw new IllegalArgumentException(
                    "say what to undo: a digest, an address, a user, a key, a mail, a time or a revision");
        }
    }

    /** Returns a copy for changes up to a revision. */
    public UndoRequest upTo(long revision) {
        return new UndoRequest(filter.withUpTo(Math.min(revision, filter.upTo())), digests);
    }
}
