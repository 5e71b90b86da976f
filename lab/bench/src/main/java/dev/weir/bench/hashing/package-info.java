/**
 * Holds {@code exact}, {@code hashing} and {@code hunt}, which compare hashes, speed and growth with the real Rspamd;
 * look here when a mail has other hashes. Hashing is called as a library here.
 */
@NullMarked
package dev.weir.bench.hashing;

import org.jspecify.annotations.NullMarked;
