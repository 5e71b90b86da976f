/** Tests. */
@NullMarked
package dev.weir.storage.database;

import org.jspecify.annotations.NullMarked;
