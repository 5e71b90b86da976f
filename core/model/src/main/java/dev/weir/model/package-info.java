/**
 * The vocabulary that every module shares: digests, signatures, flags with their values, updates, networks and keyed
 * hashes.
 *
 * <p>Immutable values without I/O, threads or logging. This package depends on no other package of Weir.
 */
@NullMarked
package dev.weir.model;

import org.jspecify.annotations.NullMarked;
