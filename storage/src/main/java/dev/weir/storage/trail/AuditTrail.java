package dev.weir.storage.trail;

import java.nio.file.Path;
import java.util.List;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LoggedUpdate;

/**
 * The audit trail of a storage, running or stopped. The update log has all changes as far as it goes back. The database
 * that mirrors the store, if there is one in the folder, has the latest 64 changes of each stored hash and drops them
 * with the hash.
 */
public final class AuditTrail {
    private AuditTrail() {}

    /** A receiver of changes, by revision. */
    @FunctionalInterface
    public interface Target {
        /**
         * Takes a change.
         *
         * @param whole whether the change is from the log; the database records neither ports nor signatures
         */
        void take(LoggedUpdate logged, boolean whole);
    }

    /**
     * Passes the selected changes to the target.
     *
     * @throws LogDamagedException after the readable changes, if acknowledged ones are unreadable
     * @throws StorageException if there is no storage or it cannot be read
     */
    public static void read(Path folder, TrailFilter filter, Target target) throws StorageException {
        try (BackendView view = FolderStore.trail(folder);
                LogHistory history = LogHistory.open(folder.resolve(DataFolder.UPDATES), view.storageId())) {
            // The database has changes of stored hashes that are no longer in the log.
            view.audit(history.first(), filter.digest(), logged -> passIfWanted(filter, logged, false, target));
            List<LogDamage> damages = history.read(filter.after(),
                    logged -> passIfWanted(filter, logged, true, target));
            if (!damages.isEmpty()) {
                throw new LogDamagedException(damages);
            }
        }
    }

    private static void passIfWanted(TrailFilter filter, LoggedUpdate logged, boolean whole, Target target) {
        if (filter.matches(logged)) {
            target.take(logged, whole);
        }
    }
}
