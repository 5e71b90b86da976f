/** The hashes of a data folder for tools, whether a checkpoint or a database has them. */
@NullMarked
package dev.weir.storage.folder;

import org.jspecify.annotations.NullMarked;
