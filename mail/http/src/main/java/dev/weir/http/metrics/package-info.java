/** Metrics for monitoring: their sources, and the text formats of Prometheus. */
@NullMarked
package dev.weir.http.metrics;

import org.jspecify.annotations.NullMarked;
