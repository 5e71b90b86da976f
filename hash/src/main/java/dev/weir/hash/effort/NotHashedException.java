package dev.weir.hash.effort;

/** A mail costs more than a mail may: it has no hashes, not even of the parts that were read by then. */
public final class NotHashedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why a mail is given up. */
    public enum Reason {
        /** It took longer than a mail may take. */
        TIME,
        /** Its markup asks to read the same bytes again and again. */
        REPETITION
    }

    private final Reason reason;

    NotHashedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why the mail is given up. */
    public Reason reason() {
        return reason;
    }
}
