package dev.weir.storage.log;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/** A copy of updates, with their times and origins, into another log. After a failure, it adds no more. */
final class LogCopy {
    private final UpdateLog log;
    private @Nullable StorageException failure;

    LogCopy(UpdateLog log) {
        this.log = log;
    }

    void add(LoggedUpdate update) {
        try {
            if (failure == null) {
                if (log.room() == 0) {
                    log.force();
                }
                log.add(update.millis(), update.origin(), update.update());
            }
        } catch (StorageException e) {
            failure = e;
        }
    }

    void finish() throws StorageException {
        if (failure != null) {
            throw failure;
        }
        log.force();
    }
}
