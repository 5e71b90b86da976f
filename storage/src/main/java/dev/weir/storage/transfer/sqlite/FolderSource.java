package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.SqliteInspection;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.maintenance.CaughtUp;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.OverlaySource;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of a data folder, which a storage may be running on: what its database holds, and over it what its update
 * log has acknowledged and not yet brought into the database. Where that is much, it is brought in first, as the next
 * start would, if the storage does not run.
 */
public final class FolderSource {
    /** The most updates that are kept in memory, some 100 MB. */
    private static final int PENDING_LIMIT = 200_000;

    private FolderSource() {}

    /**
     * Opens a folder for reading.
     *
     * @throws StorageException if there is no storage in it, it cannot be read or its log is damaged; if it runs and
     *            its database is far behind its log
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
            throw new StorageException("a storage was started in " + data + " meanwhile and learns much; try again");
        }
        return source;
    }

    private static void catchUp(Path data, int limit) throws StorageException {
        try (DataFolder folder = DataFolder.open(data)) {
            CaughtUp.bringUp(folder, LogLimits.DEFAULT, InstantSource.system());
        } catch (StorageException e) {
            throw new StorageException(
                    "the database is more than " + limit + " updates behind the update log, and cannot be "
                            + "brought up to date from here: " + e.getMessage()
                            + "; if the storage runs, weir control fuzzysync brings it up to date",
                    e);
        }
    }

    /** Null where more updates are pending. */
    private static @Nullable HashSource tryOpen(Path data, int limit) throws StorageException {
        Path database = data.resolve(DataFolder.DATABASE);
        long storage;
        try (SqliteInspection inspection = SqliteInspection.open(database)) {
            storage = inspection.storageId();
        }
        // The log first: what the storage releases after this is in the database when that is opened.
        try (LogHistory log = LogHistory.open(data.resolve(DataFolder.UPDATES), storage)) {
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

    /** At most one more than the limit. */
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
