package dev.weir.scan;

import dev.weir.hash.FuzzyHash;

/**
 * What became of the update of one hash.
 *
 * @param hash the hash
 * @param accepted whether the storage confirmed it
 * @param error the error code of the storage, or 0 if it gave none
 */
public record HashOutcome(FuzzyHash hash, boolean accepted, int error) {
    /** The outcome in words. */
    public String describe() {
        return accepted ? "accepted" : error == 0 ? "answered, but not confirmed" : Refusals.describe(error);
    }
}
