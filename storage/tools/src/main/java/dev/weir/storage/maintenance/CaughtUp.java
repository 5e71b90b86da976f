package dev.weir.storage.maintenance;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.mirror.MirrorTransactions;

/** The completion of the database of an earlier version with the updates of its log. */
public final class CaughtUp {
    private CaughtUp() {}

    /**
     * Applies the updates that only the log has.
     *
     * @param folder the folder of the storage, locked by the caller
     * @return the number of applied updates
     * @throws StorageException if the log is damaged, or log or database cannot be read or written
     */
    public static long bringUp(DataFolder folder, LogLimits limits, InstantSource clock)
            throws StorageException {
        LogRepair.finish(folder.file(DataFolder.UPDATES));
        try (HashDatabase backend = new SqliteFile(folder.database()).open();
                UpdateLog log = UpdateLog.open(FolderDisk.of(folder.folder(DataFolder.UPDATES)), limits,
                        backend.storageId(), backend.revision(), clock, Runnable::run, update -> {});
                LogReader reader = log.reader(log.applied() + 1)) {
            long done = 0;
            for (List<LoggedUpdate> updates = reader.read(MirrorTransactions.MAX_BATCH); !updates
                    .isEmpty(); updates = reader.read(MirrorTransactions.MAX_BATCH)) {
                backend.apply(LoggedUpdate.batch(updates, clock.millis() / 1000, OptionalLong.empty()));
                log.store().moveTo(updates.getLast().revision());
                log.trim(Long.MAX_VALUE, false);
                done += updates.size();
            }
            return done;
        } catch (IOException e) {
            throw new StorageException("closing the update log failed: " + Reason.of(e), e);
        }
    }
}
