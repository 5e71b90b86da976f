/** Tests of {@code dev.weir.storage.hits}. */
@NullMarked
package dev.weir.storage.hits;

import org.jspecify.annotations.NullMarked;
