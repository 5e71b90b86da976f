package dev.weir.hash.effort;

/** Signals that a mail exceeds its budget. The mail has no hashes, not even of the parts already read. */
public final class NotHashedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The limit that the mail exceeds. */
    public enum Reason {
        /** Hashing the mail takes longer than the time limit. */
        TIME,
        /** The markup of the mail forces the same bytes to be read again too often. */
        REPETITION,
        /** The client of the mail does not wait any longer. */
        ABANDONED
    }

    private final Reason reason;

    NotHashedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns the limit that the mail exceeds. */
    public Reason reason() {
        return reason;
    }
}
