/**
 * The seam between the engine and what keeps hashes on disk: {@link dev.weir.storage.backend.BackendStore} is the
 * place, {@link dev.weir.storage.backend.Backend} what an engine feeds, {@link dev.weir.storage.backend.BackendView}
 * what tools read. The engine knows nothing else of a backend.
 */
@NullMarked
package dev.weir.storage.backend;

import org.jspecify.annotations.NullMarked;
