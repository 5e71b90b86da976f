package dev.weir.storage.index;

/** The index has no room for what it was asked to take: its numbers are used up, or the system has no memory. */
public final class IndexFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With a sentence for the operator. */
    IndexFullException(String message) {
        super(message);
    }

    /** The same, thrown again in another thread. */
    public IndexFullException(IndexFullException cause) {
        super(cause.getMessage(), cause);
    }
}
