/** Searching in arrays of bytes, many at a time: what every reader of mail does over all of its bytes. */
@NullMarked
package dev.weir.hash.bytes;

import org.jspecify.annotations.NullMarked;
