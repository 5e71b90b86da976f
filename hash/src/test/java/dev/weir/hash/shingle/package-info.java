/** Proof of the hash arithmetic by vectors of the reference. */
@NullMarked
package dev.weir.hash.shingle;

import org.jspecify.annotations.NullMarked;
