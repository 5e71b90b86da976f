package dev.weir.storage.maintenance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.StoppedLog;
import dev.weir.storage.log.UpdateLog;

/**
 * A backup of a store. It copies the last checkpoint and the log since then, and starts a storage on the copy, which
 * writes a new checkpoint.
 */
final class CheckpointCopy {
    private static final String UNFINISHED = "unfinished";

    private final Path folder;
    private final Path target;
    private final Path draft;
    private final InstantSource clock;

    CheckpointCopy(Path folder, Path target, InstantSource clock) {
        this.folder = folder;
        this.target = target;
        this.draft = draft(target);
        this.clock = clock;
    }

    /** Returns the place of a backup that is not complete yet. */
    static Path draft(Path target) {
        return target.resolve(UNFINISHED);
    }

    /** Removes what is left of a draft. */
    static void clean(Path target) throws IOException {
        delete(draft(target));
    }

    Backup run() throws StorageException {
        SideFiles.copy(folder, draft);
        long before = copy();
        Backup backup = restore(before);
        try {
            // What the storage takes from now on is not in the copy, and the other way round once that is started.
            UpdateLog.breakHistory(FolderDisk.of(draft.resolve(DataFolder.UPDATES)), epochNumber());
            SideFiles.move(draft, target);
            Files.move(draft.resolve(DataFolder.LOG_END), target.resolve(DataFolder.LOG_END),
                    StandardCopyOption.ATOMIC_MOVE);
            // The store last: a folder with a manifest is a storage.
            Files.move(draft.resolve(DataFolder.UPDATES), target.resolve(DataFolder.UPDATES),
                    StandardCopyOption.ATOMIC_MOVE);
            Files.move(draft.resolve(DataFolder.STORE), target.resolve(DataFolder.STORE),
                    StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(target);
            delete(draft);
        } catch (IOException e) {
            throw new StorageException("the backup cannot be written to " + target + ": " + Reason.of(e), e);
        }
        return backup;
    }

    /** Returns the revision of the copied checkpoint. */
    private long copy() throws StorageException {
        Path updates = draft.resolve(DataFolder.UPDATES);
        try (CheckpointView view = CheckpointView.open(folder.resolve(DataFolder.STORE));
                LogHistory log = LogHistory.open(folder.resolve(DataFolder.UPDATES), view.storageId(),
                        LogEndFile.readOnly(folder, view.storageId()))) {
            view.copyTo(draft.resolve(DataFolder.STORE));
            OwnerOnly.createFolders(updates);
            try (UpdateLog copy = UpdateLog.open(FolderDisk.of(updates), StoppedStorage.LIMITS, view.storageId(),
                    view.revision(), clock, Runnable::run, _ -> {})) {
                log.copyTo(copy, view.revision());
            }
            return view.revision();
        } catch (IOException e) {
            throw new StorageException("the backup cannot be written to " + target + ": " + Reason.of(e), e);
        }
    }

    private Backup restore(long before) throws StorageException {
        try (StorageEngine engine = StoppedStorage.start(EngineFolder.open(draft), clock)) {
            long hashes = engine.stats().hashes();
            long revision = engine.stats().revision();
            String damage = engine.stats().databaseDamage();
            if (!damage.isEmpty()) {
                throw new StorageException("the copy is damaged, and perhaps also its source: " + damage);
            }
            StoppedStorage.bringUp(engine);
            return new Backup(hashes, revision, revision - before, bytes(draft.resolve(DataFolder.STORE)));
        }
    }

    private int epochNumber() throws StorageException {
        return StoppedLog.epoch(FolderDisk.readOnly(folder.resolve(DataFolder.UPDATES)), FolderView.storageId(folder))
                .number();
    }

    private static long bytes(Path store) throws StorageException {
        try (Stream<Path> files = Files.list(store)) {
            long sum = 0;
            for (Path file : files.toList()) {
                sum += Files.size(file);
            }
            return sum;
        } catch (IOException e) {
            throw new StorageException("the backup cannot be read again: " + Reason.of(e), e);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
