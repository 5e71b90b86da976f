/**
 * The compaction of a store: its hashes move to new files without free slots, and the space of removed hashes goes back
 * to the file system.
 */
@NullMarked
package dev.weir.storage.transfer.compact;

import org.jspecify.annotations.NullMarked;
