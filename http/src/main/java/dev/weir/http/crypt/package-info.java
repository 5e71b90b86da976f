/**
 * HTTPCrypt, Rspamd's encryption of whole requests and replies under X25519 key pairs (spec/http-api.md section 6).
 */
@NullMarked
package dev.weir.http.crypt;

import org.jspecify.annotations.NullMarked;
