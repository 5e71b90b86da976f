package dev.weir.lua.task;

import java.util.OptionalLong;

/**
 * What a condition says.
 *
 * @param learn whether to learn
 * @param flag flag to learn with instead of the asked one, for this rule only; also there when nothing is learned
 * @param reason what led to it, for logs and dry runs
 * @param text one line for people
 */
public record Decision(boolean learn, OptionalLong flag, Reason reason, String text) {
    /** What led to a decision. */
    public enum Reason {
        /** The script returned true. */
        SAID_YES,
        /** The script returned false. */
        SAID_NO,
        /** The script returned nothing, as one does that falls off its end. */
        RETURNED_NOTHING,
        /** The script returned something that is no boolean. */
        RETURNED_NO_BOOLEAN,
        /** The script failed. */
        ERROR,
        /** The script took too long. */
        TIME_LIMIT,
        /** The script wanted too much memory. */
        MEMORY_LIMIT,
        /** No state was free, or LuaJIT is not there. */
        UNAVAILABLE
    }
}
