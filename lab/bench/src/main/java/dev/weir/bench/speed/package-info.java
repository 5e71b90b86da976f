/**
 * Holds the measurements of speed, such as {@code wire}, {@code latency} and {@code start}, with what they share:
 * pinned servers, prepared data, rounds of load, results as JSON, and the picture; look here when a rate is in doubt.
 */
@NullMarked
package dev.weir.bench.speed;

import org.jspecify.annotations.NullMarked;
