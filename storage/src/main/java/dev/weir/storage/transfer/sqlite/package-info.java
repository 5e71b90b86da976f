/**
 * SQLite files as sources and targets of a transfer: Rspamd's of every release, Weir's own, and the database of a data
 * folder.
 */
@NullMarked
package dev.weir.storage.transfer.sqlite;

import org.jspecify.annotations.NullMarked;
