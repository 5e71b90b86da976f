/**
 * Holds what applies the rules to a request ({@link dev.weir.storage.access.gate.Gate}), with the buckets of rate
 * limits and the counts of keys. Look here when a client is refused and should not be. Order and meaning are those of
 * Rspamd (docs/reference/storage.md#order-of-decisions); docs/access.md has them with the table of all answers.
 */
@NullMarked
package dev.weir.storage.access.gate;

import org.jspecify.annotations.NullMarked;
