/** Tests the box with what real servers were sent and answered, and its ciphers with another implementation. */
@NullMarked
package dev.weir.wire.box;

import org.jspecify.annotations.NullMarked;
