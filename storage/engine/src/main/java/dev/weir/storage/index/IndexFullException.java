package dev.weir.storage.index;

/**
 * Thrown when the index has no room for an update: its numbers are used up, the system has no memory, or the store of
 * its hashes cannot be written ({@link CheckpointUnwritableException}).
 */
public sealed class IndexFullException extends RuntimeException permits CheckpointUnwritableException {
    private static final long serialVersionUID = 1;

    /** Creates an exception with a sentence for the operator. */
    public IndexFullException(String message) {
        super(message);
    }

    /** Creates an exception with a sentence for the operator and its cause. */
    IndexFullException(String message, Exception cause) {
        super(message, cause);
    }
}
