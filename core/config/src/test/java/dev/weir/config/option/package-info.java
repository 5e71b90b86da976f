/** Tests of {@code dev.weir.config.option}. */
@NullMarked
package dev.weir.config.option;

import org.jspecify.annotations.NullMarked;
