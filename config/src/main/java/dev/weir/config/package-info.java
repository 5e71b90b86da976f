/**
 * Finds and loads a configuration: a whole Rspamd tree, the inside of one section, or a file of our own.
 *
 * <p>A leaf: no logging and no threads; files are read by {@link dev.weir.config.source.DiskFiles} alone.
 */
@NullMarked
package dev.weir.config;

import org.jspecify.annotations.NullMarked;
