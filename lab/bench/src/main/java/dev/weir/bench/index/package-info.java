/**
 * Holds {@code index} and {@code recall}, which measure the memory index on its own: lookups and updates (JMH), memory
 * per hash, pauses during growth, and how often the best near duplicate is found; look here when the index is slow.
 */
@NullMarked
package dev.weir.bench.index;

import org.jspecify.annotations.NullMarked;
