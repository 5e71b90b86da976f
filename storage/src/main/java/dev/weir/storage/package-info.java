/**
 * What a storage keeps: stored hashes, batches of updates, and who submitted them.
 *
 * <p>Values, without I/O and threads, and the lock of a data folder. The sub-packages hold the memory index, the
 * backends, the update log and queue, the server, its maintenance, and the ways in and out; each knows this package and
 * none is known here.
 */
@NullMarked
package dev.weir.storage;

import org.jspecify.annotations.NullMarked;
