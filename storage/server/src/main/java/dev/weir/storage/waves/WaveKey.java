package dev.weir.storage.waves;

import java.security.SecureRandom;

import dev.weir.model.KeyedHash;

/**
 * The secret key under which clients and senders are hashed. Nodes that add their counts need the same one, so the
 * oldest key of all wins: a new node takes that of the others.
 *
 * @param k0 the first half
 * @param k1 the second half
 * @param madeMillis when it was made
 */
record WaveKey(long k0, long k1, long madeMillis) {
    static WaveKey random(SecureRandom random, long now) {
        return new WaveKey(random.nextLong(), random.nextLong(), now);
    }

    KeyedHash hash() {
        return new KeyedHash(k0, k1);
    }

    /** Returns whether the other node uses this key rather than its own. The halves decide between equal times. */
    boolean wins(WaveKey other) {
        if (madeMillis != other.madeMillis) {
            return madeMillis < other.madeMillis;
        }
        return k0 == other.k0 ? k1 < other.k1 : k0 < other.k0;
    }

    boolean isSame(WaveKey other) {
        return k0 == other.k0 && k1 == other.k1;
    }

    @Override
    public String toString() {
        return "WaveKey[]";
    }
}
