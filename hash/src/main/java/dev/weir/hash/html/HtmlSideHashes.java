package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.shingle.Blake2b;

/**
 * Three 64-bit hashes that supplement the shingles of an HTML part (docs/reference/hashing.md#side-hashes). They are
 * never transmitted.
 *
 * @param allDomains hash of the ten most frequent domains; 0 if there is none
 * @param ctaDomains hash of the call-to-action domains; 0 if there is none
 * @param features hash of the counts, coarsely grouped
 */
public record HtmlSideHashes(long allDomains, long ctaDomains, long features) {
    private static final double SHINGLES = 32.0;

    /**
     * Returns the similarity of two HTML parts, from 0 to 1. If both call-to-action hashes are known and differ, the
     * parts send their readers to different places; then only a fraction of the shingle similarity counts.
     *
     * @param shingles 32 values of this part
     * @param other the other part
     * @param otherShingles 32 values of the other part
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

    /** Returns the first eight bytes, little-endian. */
    static long first8(byte[] digest) {
        long value = 0;
        for (int i = 7; i >= 0; i--) {
            value = value << 8 | (digest[i] & 0xff);
        }
        return value;
    }
}
