package dev.weir.hash.text;

import dev.weir.hash.shingle.WordList;

/**
 * The input of a text part's hashes.
 *
 * @param stripped the text with its lines joined, from which the digest of a short text is computed. Do not modify
 * @param stems the stems of all retained words in order, in UTF-8, none empty; their number is the word count of the
 * part
 * @param language two-letter code (or {@code zh-CN}); empty if the part has no token
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and a copy of a whole text would cost more than it protects
public record AnalyzedText(byte[] stripped, WordList stems, String language) {
    /** Returns the same words with another language. */
    public AnalyzedText withLanguage(String other) {
        return new AnalyzedText(stripped, stems, other);
    }
}
