package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.shingle.Blake2b;

/**
 * Three 64-bit hashes that supplement the shingles of an HTML part (docs/reference/hashing.md#side-hashes).
 *
 * @param allDomains hash of the ten most frequent domains; 0 if there is none
 * @param ctaDomains hash of the call-to-action domains; 0 if there is none
 * @param features hash of the counts, coarsely grouped; 0 only by chance
 */
public record HtmlSideHashes(long allDomains, long ctaDomains, long features) {
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
