package dev.weir.storage;

/** Signals a problem that needs the operator's attention. The message states what failed, where, and what to do. */
public class StorageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Reports a problem that the storage itself detected. */
    public StorageException(String message) {
        super(message);
    }

    /** Reports a failure with its underlying cause. */
    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
