package dev.weir.wire.key;

import java.io.Serial;

/** A key file that cannot be used: what is wrong, and in which line. Never carries a key. */
public final class KeyFileException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final int line;

    KeyFileException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
    }

    /** The line, counted from 1. */
    public int line() {
        return line;
    }
}
