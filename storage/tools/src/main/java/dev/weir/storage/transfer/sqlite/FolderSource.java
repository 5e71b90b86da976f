package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteInspection;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.maintenance.CaughtUp;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.OverlaySource;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of a data folder, also while a storage runs on it: the content of the database, and over it the updates of
 * the log that are not in the database yet. If there are many such updates and the storage does not run, they are
 * written to the database first, as the next start would do.
 */
public final class FolderSource {
    /** The maximum number of updates in memory, about 100 MB. */
    private static final int PENDING_LIMIT = 200_000;

    private FolderSource() {}

    /**
     * Opens a folder for reading.
     *
     * @throws StorageException if it contains no storage, cannot be read, or its log is damaged; if the storage runs
     *         and its database is far behind its log
     */
    public static HashSource open(Path data) throws StorageException {
        return open(data, PENDING_LIMIT);
    }

    static HashSource open(Path data, int limit) throws StorageException {
        HashSource source = tryOpen(data, limit);
        if (source == null) {
            catchUp(data, limit);
            source = tryOpen(data, limit);
        }
        if (source == null) {
            throw new StorageException(
                    "a storage was started in " + data + " meanwhile and receives many updates; try again");
        }
        return source;
    }

    private static void catchUp(Path data, int limit) throws StorageException {
        try (DataFolder folder = DataFolder.open(data)) {
            CaughtUp.bringUp(folder, LogLimits.DEFAULT, InstantSource.system());
        } catch (StorageException e) {
            String message = "the database is more than " + limit + " updates behind the update log, and cannot be "
                    + "brought up to date from here: " + e.getMessage()
                    + "; if the storage runs, weir control fuzzysync brings it up to date";
            throw e instanceof FolderInUseException used
                    ? new FolderInUseException(message, used)
                    : new StorageException(message, e);
        }
    }

    /** Returns null if more updates are pending. */
    private static @Nullable HashSource tryOpen(Path data, int limit) throws StorageException {
        Path database = DataFolder.databaseIn(data);
        long storage;
        try (SqliteInspection inspection = SqliteInspection.open(database)) {
            storage = inspection.storageId();
        }
        // The log comes first: what the storage releases after this is in the database when that is opened.
        try (LogHistory log = LogHistory.open(data.resolve(DataFolder.UPDATES), storage, LogEndNote.NONE)) {
            SqliteSource source = SqliteSource.open(database);
            try {
                List<Update> pending = pending(log, source.revision(), limit);
                if (pending.size() > limit) {
                    source.close();
                    return null;
                }
                return pending.isEmpty() ? source : new OverlaySource(source, pending);
            } catch (Throwable e) {
                source.close();
                throw e;
            }
        }
    }

    /** Returns the pending updates, at most one more than the limit. */
    private static List<Update> pending(LogHistory log, long revision, int limit) throws StorageException {
        List<Update> pending = new ArrayList<>();
        List<LogDamage> damages = log.read(revision, logged -> {
            if (pending.size() <= limit) {
                pending.add(logged.update());
            }
        });
        if (!damages.isEmpty()) {
            throw new LogDamagedException(damages);
        }
        return pending;
    }
}
