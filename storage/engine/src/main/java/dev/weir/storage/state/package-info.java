/**
 * The small files of a data folder that a storage believes at its next start. They have one format, with a checksum and
 * the number of the storage, so that damage, a mix-up or an old copy is noticed before anything acts on the file.
 */
@NullMarked
package dev.weir.storage.state;

import org.jspecify.annotations.NullMarked;
