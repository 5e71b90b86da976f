package dev.weir.storage;

/** Something that an operator has to look at; the message is a whole sentence that says what, where and what to do. */
public class StorageException extends Exception {
    private static final long serialVersionUID = 1L;

    /** A refusal of our own. */
    public StorageException(String message) {
        super(message);
    }

    /** A failure below us. */
    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }
}
