package dev.weir.hash.text;

/**
 * The text of a part with its lines joined.
 *
 * @param bytes the text
 * @param newlines ascending offsets in {@code bytes} at which lines were joined
 */
@SuppressWarnings("ArrayRecordComponent") // handed on within the package, never compared
record StrippedText(byte[] bytes, int[] newlines) {}
