package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * A change that a client or the storage itself requests. Updates are deterministic: the same updates in the same order
 * always produce the same storage. Decisions that depend on the clock are made earlier and recorded in the update.
 */
public sealed interface Update {

    /** The hash that changes. */
    Digest digest();

    /**
     * Adds a weight to one flag of a hash. Creates the hash if it is missing.
     *
     * @param flag the flag, 0..255, or more with the extension for it
     * @param weight the number to add; a client sends 32 bits, an import may need 64
     * @param time the arrival time of the command, in seconds since the epoch
     * @param signature stored if the hash has no signature or an incomplete one, or if this one is complete and has the
     *            side hashes that the stored one lacks; otherwise ignored
     */
    record Write(Digest digest, int flag, long weight, long time, @Nullable Signature signature) implements Update {}

    /** Removes one flag from a hash, and the hash with its last flag. Has no effect if the flag is missing. */
    record Delete(Digest digest, int flag) implements Update {}

    /** Removes a hash with all its flags. Has no effect if the hash is missing. */
    record DeleteAll(Digest digest) implements Update {}

    /**
     * Postpones the expiry of a hash after a check with a strong match. Has no effect if the hash is missing.
     *
     * @param time the time of the check, in seconds since the epoch; ignored unless later than the last one
     */
    record Refresh(Digest digest, long time) implements Update {}

    /**
     * Removes one flag that has not been changed or renewed since a given time, and the hash with its last flag.
     *
     * @param before the time, in seconds since the epoch
     */
    record Expire(Digest digest, int flag, long before) implements Update {}
}
