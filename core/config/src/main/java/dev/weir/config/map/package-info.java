/**
 * The contents of Rspamd's maps: sets of networks, and sets of keys with optional values.
 *
 * <p>This package only turns text into sets. The caller decides where the text comes from and when to read it again.
 */
@NullMarked
package dev.weir.config.map;

import org.jspecify.annotations.NullMarked;
