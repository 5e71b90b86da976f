/**
 * Holds the sizes and versions of the fuzzy protocol, which the packages below share; look here when a length or a
 * version is wrong. Bytes become values and values become bytes, without I/O and without threads.
 */
@NullMarked
package dev.weir.wire;

import org.jspecify.annotations.NullMarked;
