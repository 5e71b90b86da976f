/**
 * {@code weir control}: a client of the control socket of a running storage, Weir's or Rspamd's. Look here when a
 * report is wrong.
 */
@NullMarked
package dev.weir.cli.control;

import org.jspecify.annotations.NullMarked;
