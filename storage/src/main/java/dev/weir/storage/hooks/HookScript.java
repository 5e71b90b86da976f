package dev.weir.storage.hooks;

import dev.weir.lua.LuaSource;
import dev.weir.lua.hooks.StorageHooks.OnError;

/**
 * A script with handlers.
 *
 * @param source of the script
 * @param onError what becomes of a command whose handler fails
 */
public record HookScript(LuaSource source, OnError onError) {}
