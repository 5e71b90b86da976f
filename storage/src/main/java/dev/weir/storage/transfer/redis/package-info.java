/**
 * Redis as Rspamd lays hashes out in it (docs/reference/storage.md#redis-backend), as a source and a target of a
 * transfer.
 */
@NullMarked
package dev.weir.storage.transfer.redis;

import org.jspecify.annotations.NullMarked;
