package dev.weir.milter.protocol;

import java.io.IOException;

/** Thrown when a mail server sends something that the protocol does not allow. The connection cannot go on. */
public final class MilterException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates an error with a sentence for the log. */
    public MilterException(String message) {
        super(message);
    }
}
