package dev.weir.hash.shingle;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/** One word hash under each of the 32 sub-keys. Implementations are immutable and allocate nothing per call. */
@FunctionalInterface
interface WordHash {
    /** Hash of {@code word} under sub-key number {@code key}, 0 to 31. */
    long hash(byte[] word, int key);

    /** Hashes of {@code word} under all sub-keys, into {@code hashes}. */
    default void hashAll(byte[] word, long[] hashes) {
        for (int key = 0; key < SubKeys.COUNT; key++) {
            hashes[key] = hash(word, key);
        }
    }

    /** The plain hash of {@code algorithm}, keyed or seeded by {@code keys}. */
    static WordHash of(HashAlgorithm algorithm, SubKeys keys) {
        return switch (algorithm) {
            case SIPHASH -> (word, key) -> SipHash.hash(word, keys.low[key], keys.high[key]);
            case MUMHASH -> new MumWordHash(keys);
            case XXHASH -> {
                Hasher64[] hashers = new Hasher64[SubKeys.COUNT];
                for (int i = 0; i < hashers.length; i++) {
                    hashers[i] = Hashing.xxh64(keys.low[i]);
                }
                yield (word, key) -> hashers[key].hashBytesToLong(word);
            }
            case FASTHASH -> {
                Hasher64[] hashers = new Hasher64[SubKeys.COUNT];
                for (int i = 0; i < hashers.length; i++) {
                    hashers[i] = Hashing.xxh3_64(keys.low[i]);
                }
                yield (word, key) -> hashers[key].hashBytesToLong(word);
            }
        };
    }
}
