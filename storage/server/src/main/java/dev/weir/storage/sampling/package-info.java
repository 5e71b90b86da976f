/**
 * Samples of what receiving threads do: the ring to a background thread, and the curve that counts. Look here when hits
 * or waves are counted too low or too high.
 */
@NullMarked
package dev.weir.storage.sampling;

import org.jspecify.annotations.NullMarked;
