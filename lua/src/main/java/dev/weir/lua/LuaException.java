package dev.weir.lua;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A script could not be loaded, or did not come to its end. The message names file and line where they are known. */
public final class LuaException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Pattern PLACE = Pattern.compile("\\A[^\\n]{0,300}?:(\\d{1,9}): ");

    /** Why. */
    public enum Kind {
        /** The text is no Lua, or is bytecode. */
        SYNTAX,
        /** The script raised an error. */
        RUNTIME,
        /** The script ran longer than it may. */
        TIME_LIMIT,
        /** The script wanted more memory than it may have. */
        MEMORY_LIMIT,
        /** Every state was busy for as long as a caller waits, or the script was closed. */
        BUSY,
        /** There is no LuaJIT for this machine, or no state could be made. */
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

    public Kind kind() {
        return kind;
    }

    /** Line of the script that the message names, from 1; 0 if it names none. */
    public int line() {
        Matcher place = PLACE.matcher(String.valueOf(getMessage()));
        return place.find() ? Integer.parseInt(place.group(1)) : 0;
    }
}
