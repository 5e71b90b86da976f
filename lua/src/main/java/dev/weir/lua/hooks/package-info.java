/**
 * Handlers of the storage in Lua: before a command, after a check, and when a client is refused
 * (docs/reference/storage.md#lua-handlers). {@link dev.weir.lua.hooks.StorageHooks} has plain Java arguments and knows
 * nothing of the storage itself.
 */
@NullMarked
package dev.weir.lua.hooks;

import org.jspecify.annotations.NullMarked;
