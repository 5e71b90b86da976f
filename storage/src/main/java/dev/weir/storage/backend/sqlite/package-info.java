/**
 * The backend that keeps an Rspamd {@code fuzzy.db}: exactly Rspamd's tables, and beside them tables of our own for
 * what those cannot hold.
 */
@NullMarked
package dev.weir.storage.backend.sqlite;

import org.jspecify.annotations.NullMarked;
