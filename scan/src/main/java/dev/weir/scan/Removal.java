package dev.weir.scan;

import dev.weir.model.Digest;

/**
 * What became of taking one digest off a list.
 *
 * @param digest the digest
 * @param accepted whether the storage confirmed it
 * @param error the error code of the storage, or 0 if it gave none
 */
public record Removal(Digest digest, boolean accepted, int error) {
    /** The outcome in words. */
    public String describe() {
        return accepted ? "accepted" : error == 0 ? "answered, but not confirmed" : Refusals.describe(error);
    }
}
