/**
 * The contents of Rspamd's maps: sets of networks, and sets of keys with or without a value.
 *
 * <p>Text becomes a set; where the text comes from and when it is read again is the caller's.
 */
@NullMarked
package dev.weir.config.map;

import org.jspecify.annotations.NullMarked;
