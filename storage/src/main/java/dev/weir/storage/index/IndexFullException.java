package dev.weir.storage.index;

/**
 * Thrown when the index has no room for an update: its numbers are used up, the system has no memory, or the store of
 * its hashes cannot be written.
 */
public final class IndexFullException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Creates an exception with a sentence for the operator. */
    public IndexFullException(String message) {
        super(message);
    }

    /** Wraps an exception of another thread. */
    public IndexFullException(IndexFullException cause) {
        super(cause.getMessage(), cause);
    }
}
