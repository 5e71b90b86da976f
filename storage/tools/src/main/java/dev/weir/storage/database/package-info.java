/**
 * The interface between the engine and what keeps hashes on disk. {@link dev.weir.storage.database.DatabaseFile} is the
 * place, {@link dev.weir.storage.database.HashDatabase} receives updates from an engine, and {@link
 * dev.weir.storage.view.StorageView} is for tools. The engine knows nothing else of a backend.
 */
@NullMarked
package dev.weir.storage.database;

import org.jspecify.annotations.NullMarked;
