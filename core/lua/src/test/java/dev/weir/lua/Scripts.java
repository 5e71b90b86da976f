package dev.weir.lua;

import java.time.Duration;
import java.util.List;

/** A helper that runs a script once: the text is the body of a function without arguments. */
final class Scripts {
    /** An interface that calls the chunk only when "run" is called. */
    static final LuaInterface BARE = new LuaInterface("bare.lua", """
            local kit = ...
            local body
            return {
              start = function(chunk) body = chunk end,
              run = function(...) return kit.enter(body) end,
              object = function() return tostring(kit.text('x')) end,
            }
            """);
    static final LuaLimits LIMITS = new LuaLimits(Duration.ofSeconds(2), 32 << 20, 1);
    static final HostFunction NO_HOST = (name, arguments) -> null;

    private Scripts() {}

    static List<LuaValue> run(String text) throws LuaException {
        return run(text, LIMITS);
    }

    static List<LuaValue> run(String text, LuaLimits limits) throws LuaException {
        try (LuaScript script = load(text, limits)) {
            return script.call("run", NO_HOST, List.of());
        }
    }

    static LuaScript load(String text, LuaLimits limits) throws LuaException {
        return LuaScript.load(LuaSource.inline("test.lua", text), limits, BARE, ScriptLog.NONE);
    }

    /** Returns the only result as text for comparison. */
    static String result(String text) throws LuaException {
        StringBuilder all = new StringBuilder();
        for (LuaValue value : run(text)) {
            all.append(all.isEmpty() ? "" : " ").append(switch (value) {
                case LuaValue.Bool(boolean bool) -> String.valueOf(bool);
                case LuaValue.Num(double number) -> number == Math.rint(number)
                        ? String.valueOf((long) number)
                        : String.valueOf(number);
                case LuaValue.Str string -> string.text();
                case LuaValue.Other other -> other.type();
            });
        }
        return all.toString();
    }
}
