package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/**
 * A range of a part's text that yields no words.
 *
 * @param position position of the first byte
 * @param length length in bytes; 0 for a line end
 * @param domain registrable domain of the URL in the range, or null
 */
public record TextException(int position, int length, @Nullable String domain) {}
