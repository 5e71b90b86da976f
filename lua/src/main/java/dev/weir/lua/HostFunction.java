package dev.weir.lua;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** What the objects of a script ask the program for: the header of a mail, the rest of the message log, a match. */
@FunctionalInterface
public interface HostFunction {
    /**
     * Runs on the thread of the state that called, while the clock of the script's time limit goes on; so it must be
     * quick. It may not call the script back.
     *
     * @param name what is asked for
     * @param arguments as the script gave them, by position
     * @return null, Boolean, Number, String (becomes UTF-8), byte[], List of such (a table from 1), or Map with String keys
     * @throws RuntimeException becomes an error in the script, with the same message
     */
    @Nullable
    Object call(String name, List<LuaValue> arguments);
}
