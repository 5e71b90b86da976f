/** Tests. */
@NullMarked
package dev.weir.storage.database.sqlite;

import org.jspecify.annotations.NullMarked;
