/** Tests. */
@NullMarked
package dev.weir.storage.index;

import org.jspecify.annotations.NullMarked;
