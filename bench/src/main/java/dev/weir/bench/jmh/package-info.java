/** Holds {@code jmh}: the parts of a check and of hashing, each on its own; look here to measure one function. */
@NullMarked
package dev.weir.bench.jmh;

import org.jspecify.annotations.NullMarked;
