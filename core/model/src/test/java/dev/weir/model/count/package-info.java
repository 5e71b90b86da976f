/** Tests of {@code dev.weir.model.count}. */
@NullMarked
package dev.weir.model.count;

import org.jspecify.annotations.NullMarked;
