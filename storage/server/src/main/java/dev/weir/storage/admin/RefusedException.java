package dev.weir.storage.admin;

/** A request of an operator that is not carried out. The message is for the operator and contains no secrets. */
public final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final Ground ground;

    /**
     * Why a request is refused: an argument is wrong; nothing has this name; storage or configuration do not allow it;
     * the audit trail cannot be read; a file cannot be written or the storage stops, so that another try may succeed.
     */
    public enum Ground {
        INVALID, ABSENT, IMPOSSIBLE, UNREADABLE, UNAVAILABLE
    }

    /** Refuses a request with a sentence for the operator. */
    public RefusedException(Ground ground, String message) {
        super(message, null, false, false);
        this.ground = ground;
    }

    /** Returns why the request is refused. */
    public Ground ground() {
        return ground;
    }

    /** Returns the sentence for the operator. */
    public String reason() {
        return String.valueOf(getMessage());
    }
}
