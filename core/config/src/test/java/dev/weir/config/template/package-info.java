/** Tests of {@code dev.weir.config.template}. */
@NullMarked
package dev.weir.config.template;

import org.jspecify.annotations.NullMarked;
