/** Tests. */
@NullMarked
package dev.weir.storage.checkpoint;

import org.jspecify.annotations.NullMarked;
