package dev.weir.lua;

import java.time.Duration;

/**
 * The resource limits of a script.
 *
 * @param time time limit of one call, 1 ms to 60 s; the call ends shortly after it
 * @param memoryBytes heap limit of one state, 1 MiB to 1 GiB; a value from the host (such as the text of a mail) may
 * exceed it by its own size, and the next allocation of the script then fails
 * @param states number of concurrent states, 1 to 64; each loads its own copy of the script, so globals are not shared
 */
public record LuaLimits(Duration time, long memoryBytes, int states) {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final long MEBIBYTE = 1 << 20;

    public LuaLimits {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the time limit of a script must be 1 ms to 60 s, not " + time);
        }
        if (memoryBytes < MEBIBYTE || memoryBytes > 1024 * MEBIBYTE) {
            throw new IllegalArgumentException(
                    "the memory limit of a script must be 1 MiB to 1 GiB, not " + memoryBytes);
        }
        if (states < 1 || states > 64) {
            throw new IllegalArgumentException("a script must have 1 to 64 states, not " + states);
        }
    }

    /** Returns the limits of a learn condition: half a second, 64 MiB, two states. */
    public static LuaLimits condition() {
        return new LuaLimits(Duration.ofMillis(500), 64 * MEBIBYTE, 2);
    }

    /** Returns the limits of storage handlers, which every packet waits for: 20 ms, 16 MiB, two states. */
    public static LuaLimits handlers() {
        return new LuaLimits(Duration.ofMillis(20), 16 * MEBIBYTE, 2);
    }
}
