package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.backend.sqlite.SqliteInspection;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.OverlaySource;

/**
 * The hashes of a data folder, which a storage may be running on: what its database holds, and over it what its update log
 * has acknowledged and not yet brought into the database.
 */
public final class FolderSource {
    /** The most updates that are kept in memory, some 1 GB: a storage is that far behind only while something is wrong. */
    private static final int PENDING_LIMIT = 2_000_000;

    private FolderSource() {}

    /**
     * Opens a folder for reading.
     *
     * @throws StorageException if there is no storage in it, it cannot be read or its log is damaged
     */
    public static HashSource open(Path data) throws StorageException {
        Path database = data.resolve(StorageConfig.DATABASE);
        long storage;
        try (SqliteInspection inspection = SqliteInspection.open(database)) {
            storage = inspection.storageId();
        }
        // The log first: what the storage lets go of after this is in the database when that is opened.
        try (LogHistory log = LogHistory.open(data.resolve(StorageConfig.LOG), storage)) {
            SqliteSource source = SqliteSource.open(database);
            boolean done = false;
            try {
                List<Update> pending = pending(log, source.revision());
                done = true;
                return pending.isEmpty() ? source : new OverlaySource(source, pending);
            } finally {
                if (!done) {
                    source.close();
                }
            }
        }
    }

    private static List<Update> pending(LogHistory log, long revision) throws StorageException {
        List<Update> pending = new ArrayList<>();
        List<LogDamage> damages = log.read(revision, logged -> {
            if (pending.size() <= PENDING_LIMIT) {
                pending.add(logged.update());
            }
        });
        if (!damages.isEmpty()) {
            throw new LogDamagedException(damages);
        }
        if (pending.size() > PENDING_LIMIT) {
            throw new StorageException("the database is more than " + PENDING_LIMIT + " updates behind the update log; "
                    + "wait until the storage has caught up, or make a weir backup and export that");
        }
        return pending;
    }
}
