package dev.weir.storage.hooks;

import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.StorageHooks.OnError;

/**
 * A Lua script with handlers.
 *
 * @param source the source of the script
 * @param onError how to treat a command whose handler fails
 */
public record HookScript(LuaSource source, OnError onError) {}
