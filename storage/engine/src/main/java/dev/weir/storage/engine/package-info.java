/**
 * The storage without a network: {@link dev.weir.storage.engine.StorageEngine} recovers, applies updates and answers
 * lookups. Its clock, disk and randomness come from outside, so that tests simulate all three.
 */
@NullMarked
package dev.weir.storage.engine;

import org.jspecify.annotations.NullMarked;
