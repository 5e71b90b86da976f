/**
 * From the configuration language to a storage: {@code worker "fuzzy"} as Rspamd's files have it
 * (docs/reference/storage.md#options) and our own.
 */
@NullMarked
package dev.weir.storage.settings;

import org.jspecify.annotations.NullMarked;
