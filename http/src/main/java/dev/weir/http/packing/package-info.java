/**
 * Bodies packed with zstd, in requests and replies (spec/http-api.md section 1.1), with bounds against those that unpack to
 * far more than was sent.
 */
@NullMarked
package dev.weir.http.packing;

import org.jspecify.annotations.NullMarked;
