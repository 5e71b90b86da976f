package dev.weir.storage;

/** A database whose file is damaged or not a database. Trying again does not help. */
public final class DatabaseDamagedException extends StorageException {
    private static final long serialVersionUID = 1L;

    /** A finding of the database's library. */
    public DatabaseDamagedException(String message, Throwable cause) {
        super(message, cause);
    }
}
