package dev.weir.storage.log;

import dev.weir.storage.StorageException;

/** The log has deleted an update that a reader wants, because the store has it. Nothing is lost. */
public final class LogReleasedException extends StorageException {
    private static final long serialVersionUID = 1;

    /** Creates the exception for the first of these updates. */
    LogReleasedException(long revision) {
        super("the update log no longer has the update " + revision + ", which the store has");
    }
}
