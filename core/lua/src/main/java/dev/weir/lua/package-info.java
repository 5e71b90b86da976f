/**
 * A sandbox for LuaJIT. Operators' scripts run in the real interpreter, without access to files, processes or native
 * code, and within the limits of {@link dev.weir.lua.LuaLimits}. {@link dev.weir.lua.LuaScript} is the entry point. The
 * packages below define the uses of a script: a learn condition, a storage handler.
 */
@NullMarked
package dev.weir.lua;

import org.jspecify.annotations.NullMarked;
