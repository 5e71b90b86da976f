/**
 * From the bytes of a mail to its fuzzy hashes: digests and shingles, bit for bit as Rspamd makes them.
 *
 * <p>No I/O, no global state, no threads: one call turns bytes into hashes.
 */
@NullMarked
package dev.weir.hash;

import org.jspecify.annotations.NullMarked;
