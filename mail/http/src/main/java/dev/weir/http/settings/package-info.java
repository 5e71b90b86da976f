/** The settings of an HTTP service, read from {@code worker "controller"} of Rspamd's configuration. */
@NullMarked
package dev.weir.http.settings;

import org.jspecify.annotations.NullMarked;
