package dev.weir.hash.text;

import org.jspecify.annotations.Nullable;

/**
 * A stretch of a part's text that yields no words.
 *
 * @param position first byte, from 0
 * @param length bytes; 0 for the end of a line
 * @param domain registrable domain of the URL that stands there, null if there is none
 */
public record TextException(int position, int length, @Nullable String domain) {}
