package dev.weir.storage;

/** Signals that the file of a database is damaged or is not a database. Retrying does not help. */
public final class DatabaseDamagedException extends StorageException {
    private static final long serialVersionUID = 1L;

    /** Wraps the error that the database library reported. */
    public DatabaseDamagedException(String message, Throwable cause) {
        super(message, cause);
    }
}
