package dev.weir.hash.text;

import dev.weir.hash.shingle.WordList;

/**
 * What a text part gives to its hashes.
 *
 * @param stripped the text with its lines joined: what a short text's digest is made of. Not to be changed
 * @param stems the stems of all retained words in order, UTF-8, none empty; their number is the word count of the part
 * @param language two-letter code (or {@code zh-CN}); empty if the part had no token
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and a copy of a whole text would cost more than it protects
public record AnalyzedText(byte[] stripped, WordList stems, String language) {}
