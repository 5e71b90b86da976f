package dev.weir.storage.log;

import dev.weir.storage.StorageException;

/** A log that belongs to another storage than the database beside it. */
public final class ForeignLogException extends StorageException {
    private static final long serialVersionUID = 1;

    ForeignLogException(String message) {
        super(message);
    }
}
