package dev.weir.bench.hashing;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the reference made of one mail.
 *
 * @param name    of the file, relative to the folder
 * @param hashes  in wire order
 * @param parts   in the order of the mail
 * @param subject decoded, null if absent or not recorded
 * @param error   why the reference gave nothing, or null
 */
public record ReferenceMail(String name, List<Hash> hashes, List<Part> parts, @Nullable String subject,
        @Nullable String error) {
    /**
     * One hash.
     *
     * @param kind     as on the wire, {@code ?} if the reference did not say
     * @param digest   hexadecimal
     * @param shingles hexadecimal, 32 or none
     */
    public record Hash(String kind, String digest, List<String> shingles) {
        boolean sameAs(Hash other) {
            return digest.equals(other.digest) && shingles.equals(other.shingles);
        }

        /** How many of the 32 shingles are equal. */
        int agreement(Hash other) {
            int equal = 0;
            for (int i = 0; i < Math.min(shingles.size(), other.shingles.size()); i++) {
                equal += shingles.get(i).equals(other.shingles.get(i)) ? 1 : 0;
            }
            return equal;
        }
    }

    /**
     * One part.
     *
     * @param mediaType declared
     * @param kind      class of the part
     * @param html      whether a text is HTML
     * @param length    bytes of the decoded body
     * @param digest    of the decoded body, hexadecimal
     * @param language  of a text
     * @param stripped  a text with joined lines in hexadecimal, null unless recorded
     * @param words     that enter the hash of a text, -1 if not recorded
     * @param stems     of a text, null unless recorded; of long texts more than enter the hash
     */
    public record Part(String mediaType, String kind, boolean html, int length, String digest, String language,
            @Nullable String stripped, int words, @Nullable List<String> stems) {}
}
