/**
 * Fuzzy hashes of mail: digests and shingles, bit for bit as Rspamd computes them.
 *
 * <p>Pure computation: no I/O, no global state, no threads. One call turns the bytes of a mail into hashes.
 */
@NullMarked
package dev.weir.hash;

import org.jspecify.annotations.NullMarked;
