/**
 * Storage handlers in Lua: before a command, after a check, and when a client is refused
 * (docs/reference/storage.md#lua-handlers). {@link dev.weir.lua.hooks.StorageHooks} takes plain Java arguments and does
 * not depend on the storage.
 */
@NullMarked
package dev.weir.lua.hooks;

import org.jspecify.annotations.NullMarked;
