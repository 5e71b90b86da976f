/** Tests of {@code dev.weir.config.map}. */
@NullMarked
package dev.weir.config.map;

import org.jspecify.annotations.NullMarked;
