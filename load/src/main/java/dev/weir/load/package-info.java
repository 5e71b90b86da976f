/**
 * A load generator for fuzzy storages. A {@link dev.weir.load.Population} says which hashes a storage holds, a
 * {@link dev.weir.load.Mix} which of them are asked for and how; {@link dev.weir.load.Queries} writes the queries and knows
 * the right answer to each; a {@link dev.weir.load.Generator} sends them at a given rate or with a given number
 * outstanding, in one busy thread that allocates nothing for a query, and counts what came back.
 */
@NullMarked
package dev.weir.load;

import org.jspecify.annotations.NullMarked;
