/** The names of Rspamd's keys in Redis (docs/reference/storage.md#redis-keys), and connections to a Redis. */
@NullMarked
package dev.weir.storage.redis;

import org.jspecify.annotations.NullMarked;
