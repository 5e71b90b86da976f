package dev.weir.hash.text;

/**
 * A part's text with its lines joined.
 *
 * @param bytes the text
 * @param newlines offsets in {@code bytes} where lines were joined, ascending
 */
@SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
record StrippedText(byte[] bytes, int[] newlines) {}
