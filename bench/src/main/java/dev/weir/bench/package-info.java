/**
 * Programs that measure a storage the way clients see it, over UDP, beside the real Rspamd and beside the disk's own rate
 * of syncs: {@code learn} and {@code burst}. Every server runs in a process of its own.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
