/**
 * What a storage keeps and the changes that can be made to it: digests, signatures, flags with their values, updates.
 *
 * <p>Values, without I/O and threads, and the lock of a data folder. The sub-packages hold the memory index, the backends, the update queue and the
 * server, each of which knows this package and none of which this package knows.
 */
@NullMarked
package dev.weir.storage;

import org.jspecify.annotations.NullMarked;
