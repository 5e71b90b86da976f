/**
 * SQLite files as sources and targets of transfers: files of every Rspamd release, files of Weir, and the database of a
 * data folder.
 */
@NullMarked
package dev.weir.storage.transfer.sqlite;

import org.jspecify.annotations.NullMarked;
