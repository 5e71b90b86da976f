/**
 * {@code weir control}: asks a running storage, Weir's or Rspamd's, over its control socket, and prints what it says.
 */
@NullMarked
package dev.weir.cli.control;

import org.jspecify.annotations.NullMarked;
