/** Tests. */
@NullMarked
package dev.weir.storage.backend;

import org.jspecify.annotations.NullMarked;
