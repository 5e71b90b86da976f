package dev.weir.lua.task;

import java.util.OptionalLong;

/**
 * The decision of a learn condition.
 *
 * @param learn whether to learn
 * @param flag flag to learn with instead of the requested one, for this rule only; may be present without learning
 * @param reason reason for logs and dry runs
 * @param text one line for people
 */
public record Decision(boolean learn, OptionalLong flag, Reason reason, String text) {
    /** The reason for a decision. */
    public enum Reason {
        /** The script returned true. */
        SAID_YES,
        /** The script returned false. */
        SAID_NO,
        /** The script returned nothing, for example because it has no return statement at its end. */
        RETURNED_NOTHING,
        /** The script returned a value other than a boolean. */
        RETURNED_NO_BOOLEAN,
        /** The script failed. */
        ERROR,
        /** The script exceeded the time limit. */
        TIME_LIMIT,
        /** The script exceeded the memory limit. */
        MEMORY_LIMIT,
        /** No state was free, or LuaJIT is not available. */
        UNAVAILABLE
    }
}
