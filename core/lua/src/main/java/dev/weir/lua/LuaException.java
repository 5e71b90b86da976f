package dev.weir.lua;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Signals that a script could not be loaded or did not complete. The message names file and line if known. */
public final class LuaException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Pattern PLACE = Pattern.compile("\\A[^\\n]{0,300}?:(\\d{1,9}): ");

    /** The kind of failure. */
    public enum Kind {
        /** The text is not valid Lua, or is bytecode. */
        SYNTAX,
        /** The script raised an error. */
        RUNTIME,
        /** The script exceeded the time limit. */
        TIME_LIMIT,
        /** The script exceeded the memory limit. */
        MEMORY_LIMIT,
        /** All states were busy for the whole wait, or the script is closed. */
        BUSY,
        /** LuaJIT is not available for this machine, or no state could be created. */
        UNAVAILABLE
    }

    private final Kind kind;

    LuaException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    LuaException(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Returns what is known of a failure of this program, for a person. */
    static String words(Throwable failure) {
        return Objects.requireNonNullElse(failure.getMessage(), "a bug without a description");
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the line in the message, from 1, or 0 if the message names none. */
    public int line() {
        Matcher place = PLACE.matcher(String.valueOf(getMessage()));
        return place.find() ? Integer.parseInt(place.group(1)) : 0;
    }
}
