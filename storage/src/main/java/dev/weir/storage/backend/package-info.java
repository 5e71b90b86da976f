/**
 * The interface between the engine and what keeps hashes on disk. {@link dev.weir.storage.backend.BackendStore} is the
 * place, {@link dev.weir.storage.backend.Backend} receives updates from an engine, and {@link
 * dev.weir.storage.backend.BackendView} is for tools. The engine knows nothing else of a backend.
 */
@NullMarked
package dev.weir.storage.backend;

import org.jspecify.annotations.NullMarked;
