/** Tests. */
@NullMarked
package dev.weir.storage.engine;

import org.jspecify.annotations.NullMarked;
