/**
 * Figures for monitoring: where they come from, and the text formats of Prometheus that they are written in.
 */
@NullMarked
package dev.weir.http.metrics;

import org.jspecify.annotations.NullMarked;
