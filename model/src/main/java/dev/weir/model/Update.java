package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * A change, asked for by a client or by the storage itself. Applying the same updates in the same order always gives the
 * same storage: what depends on the time of day is decided before and written into the update.
 */
public sealed interface Update {

    /** The hash that changes. */
    Digest digest();

    /**
     * Adds votes to one flag of a hash, which is made when it is not there yet.
     *
     * @param flag the list, 0..255
     * @param weight what is added, a signed 32-bit number
     * @param time seconds since the epoch at which the command arrived
     * @param signature taken over when the hash has none or knows only some of its slots, otherwise ignored
     */
    record Write(Digest digest, int flag, int weight, long time, @Nullable Signature signature) implements Update {}

    /** Takes one flag away from a hash, and the hash with its last flag. What is not there is left alone. */
    record Delete(Digest digest, int flag) implements Update {}

    /** Takes a hash away with all its flags. What is not there is left alone. */
    record DeleteAll(Digest digest) implements Update {}

    /**
     * Puts off the expiry of a hash because a check matched it strongly. What is not there is left alone.
     *
     * @param time seconds since the epoch of the check; an earlier one than the last changes nothing
     */
    record Refresh(Digest digest, long time) implements Update {}

    /**
     * Takes one flag away if nothing changed or renewed it from a moment on, and the hash with its last flag.
     *
     * @param before seconds since the epoch
     */
    record Expire(Digest digest, int flag, long before) implements Update {}
}
