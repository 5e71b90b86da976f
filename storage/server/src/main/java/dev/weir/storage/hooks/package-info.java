/**
 * Runs Lua handlers for commands before the access rules apply, for checks after the lookup, and for refused clients
 * (docs/reference/storage.md#lua-handlers). Without a configured script, no handlers run.
 */
@NullMarked
package dev.weir.storage.hooks;

import org.jspecify.annotations.NullMarked;
