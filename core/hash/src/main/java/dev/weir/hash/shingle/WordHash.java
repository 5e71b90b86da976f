package dev.weir.hash.shingle;

import com.dynatrace.hash4j.hashing.Hashing;

/** A word hash under each of the 32 sub-keys. Implementations are immutable. */
@FunctionalInterface
interface WordHash {
    /**
     * Writes the hashes of the word in [from, to) of {@code text} under all sub-keys to {@code hashes}, which holds 32
     * values.
     */
    void hashAll(byte[] text, int from, int to, long[] hashes);

    /** Returns the implementation of {@code algorithm}, keyed or seeded by {@code keys}. */
    static WordHash of(HashAlgorithm algorithm, SubKeys keys) {
        return switch (algorithm) {
            case SIPHASH -> new SipHash(keys.low, keys.high);
            case MUMHASH -> new MumWordHash(keys);
            case XXHASH -> new LibraryWordHash(keys, Hashing::xxh64);
            case FASTHASH -> new LibraryWordHash(keys, Hashing::xxh3_64);
        };
    }
}
