/** Tests the protocol with messages of real servers, and the primitives with another implementation. */
@NullMarked
package dev.weir.wire;

import org.jspecify.annotations.NullMarked;
