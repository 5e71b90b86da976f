/**
 * Access rules: passwords in Rspamd's formats, trusted networks, and a throttle for password guesses
 * (docs/reference/rspamd-http.md#access).
 */
@NullMarked
package dev.weir.http.access;

import org.jspecify.annotations.NullMarked;
