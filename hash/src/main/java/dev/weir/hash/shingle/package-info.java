/**
 * The arithmetic under every fuzzy hash: the four word hashes, the 32 sub-keys, the min-hash over windows of words, and
 * keyed BLAKE2b-512. Everything is little-endian, pure and thread-safe; source: hashing specification, sections 3, 4.1,
 * 6.3.
 */
@NullMarked
package dev.weir.hash.shingle;

import org.jspecify.annotations.NullMarked;
