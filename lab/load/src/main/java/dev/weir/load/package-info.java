/**
 * The load generator for fuzzy storages, with everything that one run needs. Look here to see how its parts work
 * together.
 *
 * <p>A {@link dev.weir.load.population.Population} defines the hashes in a storage, and a {@link
 * dev.weir.load.query.Mix} which of them are queried and how. {@link dev.weir.load.query.Queries} writes the queries
 * and knows the right answers. A {@link dev.weir.load.stream.Generator} sends them at a given rate or with a given
 * number outstanding, in one busy thread that allocates nothing per query, and counts the answers.
 */
@NullMarked
package dev.weir.load;

import org.jspecify.annotations.NullMarked;
