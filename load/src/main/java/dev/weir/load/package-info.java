/**
 * Holds a whole run of the load generator for fuzzy storages; look here for how its parts work together.
 *
 * <p>A {@link dev.weir.load.population.Population} says which hashes a storage holds, a
 * {@link dev.weir.load.query.Mix} which of them are asked for and how. {@link dev.weir.load.query.Queries} writes the
 * queries and knows the right answer to each. A {@link dev.weir.load.stream.Generator} sends them at a given rate or
 * with a given number outstanding, in one busy thread that allocates nothing for a query, and counts what came back.
 */
@NullMarked
package dev.weir.load;

import org.jspecify.annotations.NullMarked;
