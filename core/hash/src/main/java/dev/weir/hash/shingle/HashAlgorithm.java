package dev.weir.hash.shingle;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The word hash that a rule's shingles are made of. Shingles of different algorithms are not comparable, so a client
 * and its storage must agree on the algorithm.
 */
public enum HashAlgorithm {
    /** SipHash-2-4, the default of rules without {@code algorithm}. Also called {@code old}. */
    SIPHASH,
    /** XXH64. */
    XXHASH,
    /** Mum-hash as its x86-64 build computes it. */
    MUMHASH,
    /** XXH3, 64 bits. Also called {@code fast}. */
    FASTHASH;

    /** Parses the {@code algorithm} option. As in Rspamd, an absent or unknown name means {@link #SIPHASH}. */
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
