/**
 * Measures the memory index on its own: what a lookup and an update cost (JMH), the memory that a hash takes, the pauses of
 * growing, and how often the best near duplicate is found.
 */
@NullMarked
package dev.weir.bench.index;

import org.jspecify.annotations.NullMarked;
