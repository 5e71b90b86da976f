/**
 * The sizes and versions of the fuzzy protocol. The packages below encode and decode its messages, without I/O or
 * threads. Look here when a length or a version is wrong.
 */
@NullMarked
package dev.weir.wire;

import org.jspecify.annotations.NullMarked;
