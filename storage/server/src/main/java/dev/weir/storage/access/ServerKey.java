package dev.weir.storage.access;

import dev.weir.wire.key.KeyPair;

/**
 * A key pair of the storage with the rules for its users.
 *
 * @param pair the key pair, whose public half encrypts requests
 * @param rules the rules for those requests
 */
public record ServerKey(KeyPair pair, KeyRules rules) {
    /** Returns a key with the default rules. */
    public static ServerKey of(KeyPair pair) {
        return new ServerKey(pair, KeyRules.DEFAULT);
    }
}
