/**
 * HTTPCrypt, Rspamd's encryption of whole requests and replies under X25519 key pairs
 * (docs/reference/rspamd-http.md#httpcrypt).
 */
@NullMarked
package dev.weir.http.crypt;

import org.jspecify.annotations.NullMarked;
