package dev.weir.storage.access;

import dev.weir.wire.key.KeyPair;

/**
 * A key pair of the storage with what its users may do.
 *
 * @param pair for requests that are encrypted with its public half
 * @param rules for those requests
 */
public record ServerKey(KeyPair pair, KeyRules rules) {
    /** Returns a key pair whose users may read. */
    public static ServerKey of(KeyPair pair) {
        return new ServerKey(pair, KeyRules.DEFAULT);
    }
}
