/**
 * Counts requests and their outcomes by key, address, flag, and protocol generation
 * (docs/reference/storage.md#counters). Each receiving thread counts in separate memory that any thread may read. The
 * number of addresses is bounded. Only the client addresses are sensitive; replies to clients contain none of these
 * statistics.
 */
@NullMarked
package dev.weir.storage.stats;

import org.jspecify.annotations.NullMarked;
