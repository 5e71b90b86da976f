package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.shingle.Blake2b;

/**
 * Three 64-bit hashes beside the shingles of an HTML part (docs/reference/hashing.md#side-hashes). They are never
 * transmitted.
 *
 * @param allDomains the ten most frequent domains; 0 if there is none
 * @param ctaDomains the domains that the reader is to visit; 0 if there is none
 * @param features the counts, coarsely
 */
public record HtmlSideHashes(long allDomains, long ctaDomains, long features) {
    private static final double SHINGLES = 32.0;

    /**
     * How alike two HTML parts are, from 0 to 1. Parts that send their readers to different places are told apart
     * whatever else they share: with both call-to-action hashes known and different, nothing but a share of the
     * shingles counts.
     *
     * @param shingles 32 values of this part
     * @param other the other part
     * @param otherShingles its 32 values
     */
    public double similarity(long[] shingles, HtmlSideHashes other, long[] otherShingles) {
        int equal = 0;
        for (int i = 0; i < Math.min(shingles.length, otherShingles.length); i++) {
            equal += shingles[i] == otherShingles[i] ? 1 : 0;
        }
        double share = equal / SHINGLES;
        boolean unknown = ctaDomains == 0 || other.ctaDomains == 0;
        boolean same = ctaDomains == other.ctaDomains;
        if (!unknown && !same) {
            return 0.3 * share;
        }
        return 0.5 * share + 0.3 * (same ? 1 : 0.5) + (allDomains == other.allDomains ? 0.15 : 0)
                + 0.05 * (features == other.features ? 1 : 0.5);
    }

    static long hash(byte[] key, List<String> names) {
        return names.isEmpty()
                ? 0
                : first8(Blake2b.digest512(key,
                        names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList()));
    }

    /** The first eight bytes, little-endian. */
    static long first8(byte[] digest) {
        long value = 0;
        for (int i = 7; i >= 0; i--) {
            value = value << 8 | (digest[i] & 0xff);
        }
        return value;
    }
}
