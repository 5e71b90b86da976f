/**
 * The memory index: finds a digest exactly or the most similar signature, while one writer changes it.
 *
 * <p>Everything lies outside the heap; readers take no lock and allocate nothing.
 */
@NullMarked
package dev.weir.storage.index;

import org.jspecify.annotations.NullMarked;
