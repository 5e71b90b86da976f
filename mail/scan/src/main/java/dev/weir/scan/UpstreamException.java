package dev.weir.scan;

import org.jspecify.annotations.Nullable;

/** Thrown when a storage does not answer or refuses a request. The message is one sentence for the user. */
public final class UpstreamException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    public enum Kind {
        /** Nothing was received, or nothing listens at the address. */
        NO_ANSWER,
        /** The storage is reachable but cannot decrypt the request. */
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

    /** Returns the kind of failure. */
    public Kind kind() {
        return kind;
    }
}
