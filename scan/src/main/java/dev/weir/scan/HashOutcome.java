package dev.weir.scan;

import dev.weir.model.Digest;

/**
 * The outcome of the update of one hash.
 *
 * @param digest the digest of the hash
 * @param kind the kind of hash as it is written, such as {@code txt}; empty where only the digest is known
 * @param accepted whether the storage confirmed it
 * @param error the error code of the storage, or 0 if it gave none
 */
public record HashOutcome(Digest digest, String kind, boolean accepted, int error) {
    /** The outcome in words. */
    public String describe() {
        return accepted ? "accepted" : error == 0 ? "answered, but not confirmed" : Refusals.describe(error);
    }
}
