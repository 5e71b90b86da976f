/** Tests of {@code dev.weir.storage.server.stats}. */
@NullMarked
package dev.weir.storage.server.stats;

import org.jspecify.annotations.NullMarked;
