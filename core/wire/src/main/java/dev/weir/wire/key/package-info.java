/**
 * Public keys, secret keys, key pairs, key files and Rspamd's base32. Look here when a key is not read, written or
 * found.
 */
@NullMarked
package dev.weir.wire.key;

import org.jspecify.annotations.NullMarked;
