/** Proves the protocol by what real servers were sent and answered, and the primitives by another implementation. */
@NullMarked
package dev.weir.wire;

import org.jspecify.annotations.NullMarked;
