/** Tests of {@code dev.weir.hash.text}. */
@NullMarked
package dev.weir.hash.text;

import org.jspecify.annotations.NullMarked;
