/** Tests the box with messages of real servers, and its ciphers with another implementation. */
@NullMarked
package dev.weir.wire.box;

import org.jspecify.annotations.NullMarked;
