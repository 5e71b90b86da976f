/**
 * The backend that keeps Rspamd's {@code fuzzy.db}: exactly Rspamd's tables, and beside them Weir's own for what those
 * cannot contain.
 */
@NullMarked
package dev.weir.storage.database.sqlite;

import org.jspecify.annotations.NullMarked;
