package dev.weir.scan;

import org.jspecify.annotations.Nullable;

/** A storage could not be asked, or refused. The message is one sentence for the person who asked. */
public final class UpstreamException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What kind of failure it was. */
    public enum Kind {
        /** Nothing came back, or nothing listens there. */
        NO_ANSWER,
        /** The storage is there and does not understand what is encrypted for it. */
        WRONG_KEY,
        /** The storage answered with an error code. */
        REFUSED
    }

    private final Kind kind;

    UpstreamException(Kind kind, String message) {
        this(kind, message, null);
    }

    UpstreamException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** What kind of failure it was. */
    public Kind kind() {
        return kind;
    }
}
