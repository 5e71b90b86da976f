/**
 * LuaJIT in a sandbox: scripts of operators run in the real interpreter, without files, processes or native code, and
 * never longer or larger than {@link dev.weir.lua.LuaLimits} says. {@link dev.weir.lua.LuaScript} is the way in; what a
 * script is for (a learn condition, a handler of the storage) is in the packages below.
 */
@NullMarked
package dev.weir.lua;

import org.jspecify.annotations.NullMarked;
