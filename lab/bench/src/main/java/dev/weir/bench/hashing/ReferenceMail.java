package dev.weir.bench.hashing;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import dev.weir.hash.FuzzyHash;
import org.jspecify.annotations.Nullable;

/**
 * The analysis of a mail by the reference.
 *
 * @param name    file name relative to the folder
 * @param hashes  hashes in wire order
 * @param parts   parts in the order of the mail
 * @param subject decoded subject, null if absent or not recorded
 * @param error   reason of a failure of the reference, or null
 */
public record ReferenceMail(String name, List<Hash> hashes, List<Part> parts, @Nullable String subject,
        @Nullable String error) {
    /** Returns whether the reference has these hashes in this order. */
    boolean hashedAs(List<Hash> ours) {
        boolean same = ours.size() == hashes.size();
        for (int i = 0; same && i < ours.size(); i++) {
            same = ours.get(i).sameAs(hashes.get(i));
        }
        return same;
    }

    /**
     * A hash.
     *
     * @param kind     kind as on the wire, {@code ?} if unknown
     * @param digest   hexadecimal
     * @param shingles 32 hexadecimal numbers, or none
     */
    public record Hash(String kind, String digest, List<String> shingles) {
        /** Returns the form of a hash of Weir. */
        static Hash of(FuzzyHash hash) {
            List<String> shingles = new ArrayList<>();
            for (long shingle : hash.shingles()) {
                shingles.add(HexFormat.of().toHexDigits(shingle));
            }
            return new Hash(hash.kind().label(), HexFormat.of().formatHex(hash.digest()), shingles);
        }

        boolean sameAs(Hash other) {
            return digest.equals(other.digest) && shingles.equals(other.shingles);
        }

        /** Returns the number of equal shingles, 0..32. */
        int agreement(Hash other) {
            int equal = 0;
            for (int i = 0; i < Math.min(shingles.size(), other.shingles.size()); i++) {
                equal += shingles.get(i).equals(other.shingles.get(i)) ? 1 : 0;
            }
            return equal;
        }
    }

    /**
     * A part.
     *
     * @param mediaType declared media type
     * @param kind      class of the part
     * @param html      whether a text is HTML
     * @param length    length of the decoded body in bytes
     * @param digest    digest of the decoded body, hexadecimal
     * @param language  language of a text
     * @param stripped  a text with joined lines in hexadecimal, null unless recorded
     * @param words     number of words in the hash of a text, -1 if not recorded
     * @param stems     stems of a text, null unless recorded; a long text has more than enter the hash
     */
    public record Part(String mediaType, String kind, boolean html, int length, String digest, String language,
            @Nullable String stripped, int words, @Nullable List<String> stems) {}
}
