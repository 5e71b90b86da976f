package dev.weir.hash.shingle;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The word hash behind a rule's shingles. Storages never compare shingles of different algorithms with each other in a
 * meaningful way, so the algorithm is part of the agreement between a client and its storage.
 */
public enum HashAlgorithm {
    /** SipHash-2-4; what rules without {@code algorithm} use. Also called {@code old}. */
    SIPHASH,
    /** XXH64. */
    XXHASH,
    /** Mum-hash as its x86-64 build computes it. */
    MUMHASH,
    /** XXH3, 64 bits. Also called {@code fast}. */
    FASTHASH;

    /** Reads the {@code algorithm} option. As in the reference, an absent or unknown name means {@link #SIPHASH}. */
    public static HashAlgorithm ofOption(@Nullable String name) {
        if (name == null) {
            return SIPHASH;
        }
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "xxhash" -> XXHASH;
            case "mumhash" -> MUMHASH;
            case "fasthash", "fast" -> FASTHASH;
            default -> SIPHASH;
        };
    }
}
