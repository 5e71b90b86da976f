/**
 * Plays many nodes that share Redis servers, with costs that are measured here; look here when the number of nodes is
 * in doubt.
 */
@NullMarked
package dev.weir.bench.nodes;

import org.jspecify.annotations.NullMarked;
