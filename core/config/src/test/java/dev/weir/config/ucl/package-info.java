/** Tests of {@code dev.weir.config.ucl}. */
@NullMarked
package dev.weir.config.ucl;

import org.jspecify.annotations.NullMarked;
