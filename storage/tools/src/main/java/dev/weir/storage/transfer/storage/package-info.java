/**
 * Transfers from and to the data folder of a storage whose hashes are in a store. Reading takes the last checkpoint and
 * the updates behind it; writing goes through the update log, as in a running storage.
 */
@NullMarked
package dev.weir.storage.transfer.storage;

import org.jspecify.annotations.NullMarked;
