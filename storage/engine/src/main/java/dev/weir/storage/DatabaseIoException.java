package dev.weir.storage;

/** Signals that the disk failed to read or write a database, which may be sound. */
public final class DatabaseIoException extends StorageException {
    private static final long serialVersionUID = 1L;

    /** Wraps the error that the database library reported. */
    public DatabaseIoException(String message, Throwable cause) {
        super(message, cause);
    }
}
