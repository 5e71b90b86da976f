/** Holds {@code jmh}: microbenchmarks of the parts of a check and of hashing; look here to measure one function. */
@NullMarked
package dev.weir.bench.jmh;

import org.jspecify.annotations.NullMarked;
