/** Redis in Rspamd's layout (docs/reference/storage.md#redis-backend), as a source and a target of transfers. */
@NullMarked
package dev.weir.storage.transfer.redis;

import org.jspecify.annotations.NullMarked;
