/** Tests of {@code dev.weir.storage.sampling}. */
@NullMarked
package dev.weir.storage.sampling;

import org.jspecify.annotations.NullMarked;
