/**
 * Redis as Rspamd lays hashes out in it (storage.md 4), as a source and a target of a transfer.
 */
@NullMarked
package dev.weir.storage.transfer.redis;

import org.jspecify.annotations.NullMarked;
