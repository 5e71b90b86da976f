/**
 * Who may ask what: passwords in Rspamd's formats, networks that are trusted, and a throttle for those who guess
 * (spec/http-api.md section 4).
 */
@NullMarked
package dev.weir.http.access;

import org.jspecify.annotations.NullMarked;
