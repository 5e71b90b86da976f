package dev.weir.storage;

import org.jspecify.annotations.Nullable;

/** A change that a client asked for. Applying the same updates in the same order always gives the same storage. */
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
}
