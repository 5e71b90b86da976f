/** Tests of {@code dev.weir.hash.url}. */
@NullMarked
package dev.weir.hash.url;

import org.jspecify.annotations.NullMarked;
