/**
 * Applies the access rules to requests ({@link dev.weir.storage.access.gate.Gate}) and holds the rate limit buckets and
 * the statistics of keys. Look here when a client is wrongly refused. The decisions and their order are those of Rspamd
 * (docs/reference/storage.md#order-of-decisions); docs/operate/access.md describes them with a table of all answers.
 */
@NullMarked
package dev.weir.storage.access.gate;

import org.jspecify.annotations.NullMarked;
