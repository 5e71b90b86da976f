/**
 * Rspamd's HTTP interface in front of a scanner, for real {@code rspamc}, mail servers, and web interfaces of Rspamd.
 * {@link dev.weir.http.HttpService} is the entry point.
 */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
