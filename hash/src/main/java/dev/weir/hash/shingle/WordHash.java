package dev.weir.hash.shingle;

import java.util.Arrays;

import com.dynatrace.hash4j.hashing.Hashing;

/** A word hash under each of the 32 sub-keys. Implementations are immutable. */
@FunctionalInterface
interface WordHash {
    /** Returns the hash of {@code word} under sub-key number {@code key}, 0 to 31. */
    long hash(byte[] word, int key);

    /** Writes the hashes of the word in [from, to) of {@code text} under all sub-keys to {@code hashes}. */
    default void hashAll(byte[] text, int from, int to, long[] hashes) {
        byte[] word = Arrays.copyOfRange(text, from, to);
        for (int key = 0; key < SubKeys.COUNT; key++) {
            hashes[key] = hash(word, key);
        }
    }

    /** Returns the straightforward implementation of {@code algorithm}, keyed or seeded by {@code keys}. */
    static WordHash of(HashAlgorithm algorithm, SubKeys keys) {
        return switch (algorithm) {
            case SIPHASH -> (word, key) -> SipHash.hash(word, keys.low[key], keys.high[key]);
            case MUMHASH -> new MumWordHash(keys);
            case XXHASH -> new LibraryWordHash(keys, Hashing::xxh64);
            case FASTHASH -> new LibraryWordHash(keys, Hashing::xxh3_64);
        };
    }
}
