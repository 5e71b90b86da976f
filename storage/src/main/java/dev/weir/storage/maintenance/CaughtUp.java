package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.LongConsumer;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.BackendFeeder;
import dev.weir.storage.server.StorageConfig;

/** Brings the database of a storage that does not run up to date with its log, so that the database is all there is. */
public final class CaughtUp {
    private CaughtUp() {}

    /**
     * Applies what only the log has.
     *
     * @param folder of the storage, locked by the caller
     * @param progress is told how many updates were applied so far
     * @return how many updates that were
     * @throws StorageException if the log is damaged, or one of both cannot be read or written
     */
    public static long bringUp(DataFolder folder, LogLimits limits, InstantSource clock, LongConsumer progress)
            throws StorageException {
        Path logFolder = folder.file(StorageConfig.LOG);
        LogRepair.finish(logFolder);
        try (SqliteBackend backend = SqliteBackend.open(folder.file(StorageConfig.DATABASE));
                UpdateLog log = UpdateLog.open(FolderDisk.of(folder.folder(StorageConfig.LOG)), limits,
                        backend.storageId(), backend.revision(), clock, Runnable::run, update -> {});
                LogReader reader = log.reader(log.applied() + 1)) {
            long done = 0;
            for (List<LoggedUpdate> updates = reader.read(BackendFeeder.MAX_BATCH); !updates
                    .isEmpty(); updates = reader.read(BackendFeeder.MAX_BATCH)) {
                List<Update> plain = updates.stream().map(LoggedUpdate::update).toList();
                backend.apply(new UpdateBatch(updates.getFirst().revision(), clock.millis() / 1000, plain));
                log.release(updates.getLast().revision());
                done += updates.size();
                progress.accept(done);
            }
            return done;
        } catch (IOException e) {
            throw new StorageException("closing the update log failed: " + e.getMessage(), e);
        }
    }
}
