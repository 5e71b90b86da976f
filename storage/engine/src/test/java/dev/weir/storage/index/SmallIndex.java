package dev.weir.storage.index;

import dev.weir.model.KeyedHash;

/** A factory of an index that is full with 65,535 hashes: 1/8192 of every bound. */
public final class SmallIndex {
    public static final int ROOM = 65_535;
    private static final int SMALLER = 13;

    private SmallIndex() {}

    public static HashIndex empty() {
        return new HashIndex(new KeyedHash(1, 2), 0, 0, SMALLER);
    }
}
