/** The parts of a check and of hashing, each on its own, under JMH: {@code bench/run jmh}. */
@NullMarked
package dev.weir.bench.jmh;

import org.jspecify.annotations.NullMarked;
