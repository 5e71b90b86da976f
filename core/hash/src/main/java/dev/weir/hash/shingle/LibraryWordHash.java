package dev.weir.hash.shingle;

import java.util.function.LongFunction;

import com.dynatrace.hash4j.hashing.Hasher64;

/** A word hash that applies a seeded hash4j function under 32 sub-keys. */
final class LibraryWordHash implements WordHash {
    private final Hasher64[] hashers = new Hasher64[SubKeys.COUNT];

    LibraryWordHash(SubKeys keys, LongFunction<Hasher64> seeded) {
        for (int key = 0; key < hashers.length; key++) {
            hashers[key] = seeded.apply(keys.low[key]);
        }
    }

    @Override
    public void hashAll(byte[] text, int from, int to, long[] hashes) {
        for (int key = 0; key < SubKeys.COUNT; key++) {
            hashes[key] = hashers[key].hashBytesToLong(text, from, to - from);
        }
    }
}
