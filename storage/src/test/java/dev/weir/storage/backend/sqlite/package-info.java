/** Tests. */
@NullMarked
package dev.weir.storage.backend.sqlite;

import org.jspecify.annotations.NullMarked;
