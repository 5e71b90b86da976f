/**
 * Compression of bodies with zstd, in requests and replies (docs/reference/rspamd-http.md#compression), with bounds
 * against bodies that unpack to far more than was sent.
 */
@NullMarked
package dev.weir.http.packing;

import org.jspecify.annotations.NullMarked;
