/**
 * Holds the data model of a storage: stored hashes, batches of updates, and their submitters.
 *
 * <p>These are plain values without I/O or threads, plus the lock of the data folder. Subpackages contain the memory
 * index, the backends, the update log and queue, the server, maintenance, and import and export. They depend on this
 * package, never the reverse.
 */
@NullMarked
package dev.weir.storage;

import org.jspecify.annotations.NullMarked;
