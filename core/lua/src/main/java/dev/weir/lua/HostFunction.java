package dev.weir.lua;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The entry point for requests of a script's objects to the program: a header of a mail, a log message, a regular
 * expression match.
 */
@FunctionalInterface
public interface HostFunction {
    /**
     * Handles a request. It runs on the thread of the calling state and counts against the script's time limit, so it
     * must be fast. It may not call the script back.
     *
     * @param name name of the request
     * @param arguments arguments from the script, by position
     * @return null, Boolean, Number, String (becomes UTF-8), byte[], List of such (a table from 1), or Map with String
     * keys
     * @throws RuntimeException becomes an error in the script, with the same message
     */
    @Nullable
    Object call(String name, List<LuaValue> arguments);
}
