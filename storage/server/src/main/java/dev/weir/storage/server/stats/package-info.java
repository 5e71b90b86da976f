/**
 * Holds the counters of the server: a tally for each thread, and their sums. Look here when a counter is missing or a
 * figure is wrong.
 */
@NullMarked
package dev.weir.storage.server.stats;

import org.jspecify.annotations.NullMarked;
