package dev.weir.scan;

import dev.weir.model.Digest;

/**
 * The outcome of the update of one hash.
 *
 * @param digest the digest of the hash
 * @param kind the short name of the hash type, such as {@code txt}; empty if only the digest is known
 * @param accepted whether the storage confirmed the update
 * @param error the error code of the storage, or 0 if it sent none
 */
public record HashOutcome(Digest digest, String kind, boolean accepted, int error) {
    /** Returns the outcome in words. */
    public String describe() {
        return accepted ? "accepted" : error == 0 ? "answered, but not confirmed" : Refusals.describe(error);
    }
}
