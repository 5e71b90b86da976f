/** Tests of {@code dev.weir.storage.waves}. */
@NullMarked
package dev.weir.storage.waves;

import org.jspecify.annotations.NullMarked;
