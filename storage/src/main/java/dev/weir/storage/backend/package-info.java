/**
 * Where hashes survive a restart: the one small interface that every backend fills.
 */
@NullMarked
package dev.weir.storage.backend;

import org.jspecify.annotations.NullMarked;
