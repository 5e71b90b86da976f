/**
 * From the configuration language to an HTTP service: {@code worker "controller"} as Rspamd's files have it.
 */
@NullMarked
package dev.weir.http.settings;

import org.jspecify.annotations.NullMarked;
