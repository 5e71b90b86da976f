package dev.weir.storage.log;

import dev.weir.storage.StorageException;

/**
 * The log no longer has an update that a reader wants: it was deleted, because the store has it, or it cannot be read,
 * and the store has it. Nothing is lost.
 */
public final class LogReleasedException extends StorageException {
    private static final long serialVersionUID = 1;

    /** Creates the exception for the first of these updates. */
    LogReleasedException(long revision) {
        super("the update log no longer has the update " + revision + ", which the store has");
    }

    /** Creates the exception for a damage that begins with an update which the store has. */
    LogReleasedException(LogDamage damage) {
        super("the update log cannot read the update " + damage.first() + ", which the store has: " + damage);
    }
}
