/**
 * Reads the settings of a storage from {@code worker "fuzzy"} in configurations of Rspamd and Weir
 * (docs/reference/storage.md#options).
 */
@NullMarked
package dev.weir.storage.settings;

import org.jspecify.annotations.NullMarked;
