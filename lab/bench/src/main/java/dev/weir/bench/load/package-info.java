/**
 * Holds the loads that {@link dev.weir.load.Load} does not cover: updates in a closed loop with a record of each
 * acknowledgment, checks at a moderate rate beside another load, and single requests. The requests and the judgment of
 * replies come from {@link dev.weir.load.population} and {@link dev.weir.load.query}; all traffic is UDP on loopback.
 */
@NullMarked
package dev.weir.bench.load;

import org.jspecify.annotations.NullMarked;
