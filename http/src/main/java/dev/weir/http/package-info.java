/**
 * Rspamd's HTTP interface in front of a scanner: real {@code rspamc}, mail servers and web interfaces that speak to Rspamd's
 * controller or scanner speak to this. {@link dev.weir.http.HttpService} is all of it.
 */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
