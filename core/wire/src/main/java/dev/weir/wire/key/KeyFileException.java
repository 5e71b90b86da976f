package dev.weir.wire.key;

import java.io.Serial;

/** Signals an invalid key file. The message states the problem and the line, and never contains a key. */
public final class KeyFileException extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final int line;

    KeyFileException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
    }

    /** Returns the line number, starting at 1. */
    public int line() {
        return line;
    }
}
