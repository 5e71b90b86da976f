/**
 * Who asked what, and what came of it (docs/reference/storage.md#counters): by key, by address, by flag and by
 * generation of the protocol. Each receiving thread counts in memory of its own, which anybody may look at; addresses
 * are bounded in number. Nothing here is secret but for the addresses of clients, and replies to clients carry nothing
 * of it.
 */
@NullMarked
package dev.weir.storage.stats;

import org.jspecify.annotations.NullMarked;
