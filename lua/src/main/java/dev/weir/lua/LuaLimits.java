package dev.weir.lua;

import java.time.Duration;

/**
 * What a script may use.
 *
 * @param time longest run of one call, 1 ms to 60 s; the end comes within a few milliseconds of it
 * @param memoryBytes largest heap of one state, 1 MiB to 1 GiB; what a host hands over (a mail's text) may exceed it by
 *     its own size, and the next allocation of the script then fails
 * @param states states that run at a time, 1 to 64; each has loaded the script for itself, so globals are not shared
 */
public record LuaLimits(Duration time, long memoryBytes, int states) {
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final long MEBIBYTE = 1 << 20;

    public LuaLimits {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("time limit of a script: 1 ms to 60 s, not " + time);
        }
        if (memoryBytes < MEBIBYTE || memoryBytes > 1024 * MEBIBYTE) {
            throw new IllegalArgumentException("memory limit of a script: 1 MiB to 1 GiB, not " + memoryBytes);
        }
        if (states < 1 || states > 64) {
            throw new IllegalArgumentException("states of a script: 1 to 64, not " + states);
        }
    }

    /** For a learn condition: half a second, 64 MiB, two at a time. */
    public static LuaLimits condition() {
        return new LuaLimits(Duration.ofMillis(500), 64 * MEBIBYTE, 2);
    }

    /** For handlers of the storage, which stand in the way of every packet: 20 ms, 16 MiB, two at a time. */
    public static LuaLimits handlers() {
        return new LuaLimits(Duration.ofMillis(20), 16 * MEBIBYTE, 2);
    }
}
