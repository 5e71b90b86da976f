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
    /** So many digits of a digest may select changes alone: fewer are the beginning of many hashes. */
    private static final int LEAST_DIGITS = 4;

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if neither hashes, their beginning, an origin nor a time are given, which would
     *             be everything
     */
    public UndoRequest {
        digests = List.copyOf(digests);
        if (digests.isEmpty() && !filter.namesOrigin() && filter.digest().length() < LEAST_DIGITS) {
            throw new IllegalArgumentException("say what to undo: a digest or its first " + LEAST_DIGITS
                    + " digits, an address, a user, a key, a mail, a time or a revision");
        }
    }

    /** Returns a copy for changes up to a revision. */
    public UndoRequest upTo(long revision) {
        return new UndoRequest(filter.withUpTo(Math.min(revision, filter.upTo())), digests);
    }
}
