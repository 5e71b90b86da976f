/**
 * Configuration discovery and loading: a whole Rspamd tree, the inside of one section, or a {@code weir.conf}.
 *
 * <p>This package is a leaf: it does not log and starts no threads, and only {@link dev.weir.config.source.DiskFiles}
 * reads files.
 */
@NullMarked
package dev.weir.config;

import org.jspecify.annotations.NullMarked;
