/** Tests of {@code dev.weir.config.source}. */
@NullMarked
package dev.weir.config.source;

import org.jspecify.annotations.NullMarked;
