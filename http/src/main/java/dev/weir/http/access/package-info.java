/**
 * Who may ask what: passwords in Rspamd's formats, networks that are trusted, and a throttle for those who guess
 * (docs/reference/http.md#access).
 */
@NullMarked
package dev.weir.http.access;

import org.jspecify.annotations.NullMarked;
