/**
 * Replication as Rspamd 1.3 to 1.9 has it, in both roles: a master pushes each batch of updates to its slaves. Durable
 * counters on both sides let an interrupted batch go on, and refuse a repeated one
 * (docs/operate/nodes.md#mirrors-of-rspamd).
 */
@NullMarked
package dev.weir.storage.push;

import org.jspecify.annotations.NullMarked;
