/** Tests. */
@NullMarked
package dev.weir.storage.store;

import org.jspecify.annotations.NullMarked;
