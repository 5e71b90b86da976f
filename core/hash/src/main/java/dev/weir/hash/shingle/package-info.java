/**
 * The arithmetic of fuzzy hashes: the four word hashes, the 32 sub-keys, the min-hash over word windows, and keyed
 * BLAKE2b-512 (docs/reference/hashing.md#windows). All of it is little-endian, pure and thread-safe.
 */
@NullMarked
package dev.weir.hash.shingle;

import org.jspecify.annotations.NullMarked;
