package dev.weir.storage;

/** Signals that another program has a database locked. The same connection can be used again. */
public final class DatabaseLockedException extends StorageException {
    private static final long serialVersionUID = 1L;

    /** Wraps the error that the database library reported. */
    public DatabaseLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
