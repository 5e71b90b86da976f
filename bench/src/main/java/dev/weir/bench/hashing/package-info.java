/**
 * Hashes beside those of the real Rspamd: which are equal, where the others part ways, and how fast and how large the hashing
 * is. Hashing is called as a library here.
 */
@NullMarked
package dev.weir.bench.hashing;

import org.jspecify.annotations.NullMarked;
