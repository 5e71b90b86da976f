/** Tests of {@code dev.weir.storage.history}. */
@NullMarked
package dev.weir.storage.history;

import org.jspecify.annotations.NullMarked;
