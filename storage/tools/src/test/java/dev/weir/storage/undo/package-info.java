/** Tests of {@code dev.weir.storage.undo}. */
@NullMarked
package dev.weir.storage.undo;

import org.jspecify.annotations.NullMarked;
