package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.weir.model.KeyedHash;
import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.mirror.MirrorTransactions;
import dev.weir.storage.view.StorageView;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a storage, which may be running, in a folder that is a storage itself. It has every update that was
 * acknowledged when the copy began, in a database without a log or in a store, with the files beside them that a
 * restored storage needs. The backup is loaded once as a start would load it, which proves that it can be restored.
 *
 * @param hashes in the copy
 * @param revision of the last update that it has
 * @param fromLog updates that it has from the log, because the database or the store did not have them yet
 * @param bytes of its database or store
 */
public record Backup(long hashes, long revision, long fromLog, long bytes) {
    private static final String UNFINISHED = ".unfinished";

    /**
     * Makes a backup.
     *
     * @param folder of the storage
     * @param target a folder that does not exist or is empty; when this fails it holds nothing that looks like a backup
     * @throws StorageException if something cannot be read or written, the storage is damaged, or the copy cannot be
     *             restored
     */
    public static Backup make(Path folder, Path target, InstantSource clock) throws StorageException {
        DataFolder.requireStorage(folder);
        Path copy = prepare(target);
        if (DataFolder.hasStore(folder)) {
            return new CheckpointCopy(folder, target, clock).run();
        }
        SideFiles.copy(folder, CheckpointCopy.draft(target));
        DatabaseFile restorable = new SqliteFile(copy);
        long fromLog = copy(folder, copy, restorable, clock);
        Backup backup = restore(restorable, copy, fromLog);
        try {
            SideFiles.move(CheckpointCopy.draft(target), target);
            Files.move(copy, target.resolve(DataFolder.DATABASE), StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(target);
            CheckpointCopy.clean(target);
        } catch (IOException e) {
            throw new StorageException("the backup cannot be written to " + target + ": " + Reason.of(e), e);
        }
        return backup;
    }

    private static Path prepare(Path target) throws StorageException {
        Path copy = target.resolve(DataFolder.DATABASE + UNFINISHED);
        try {
            OwnerOnly.createFolders(target);
            // Delete what an interrupted attempt left.
            new SqliteFile(copy).delete();
            CheckpointCopy.clean(target);
            try (Stream<Path> files = Files.list(target)) {
                if (files.findAny().isPresent()) {
                    throw new StorageException(target + " is not empty; name a new folder for each backup");
                }
            }
        } catch (IOException e) {
            throw new StorageException("the backup cannot be written to " + target + ": " + Reason.of(e), e);
        }
        return copy;
    }

    private static long copy(Path folder, Path copy, DatabaseFile restorable, InstantSource clock)
            throws StorageException {
        try (StorageView view = FolderView.of(folder);
                LogHistory log = LogHistory.open(folder.resolve(DataFolder.UPDATES), view.storageId(),
                        LogEndNote.NONE)) {
            // The log first: what the storage releases while the database is copied is in the database by then.
            view.copyTo(copy);
            try (HashDatabase backend = restorable.open()) {
                return apply(log, backend, clock);
            }
        }
    }

    private static long apply(LogHistory log, HashDatabase backend, InstantSource clock) throws StorageException {
        Applier applier = new Applier(backend, clock);
        List<LogDamage> damages = log.read(backend.revision(), applier);
        if (!damages.isEmpty()) {
            throw new LogDamagedException(damages);
        }
        return applier.finish();
    }

    /** Brings updates into the copy, many at a time; after a failure, none. */
    private static final class Applier implements Consumer<LoggedUpdate> {
        private final HashDatabase backend;
        private final InstantSource clock;
        private final List<LoggedUpdate> batch = new ArrayList<>();
        private long applied;
        private @Nullable StorageException failure;

        Applier(HashDatabase backend, InstantSource clock) {
            this.backend = backend;
            this.clock = clock;
        }

        @Override
        public void accept(LoggedUpdate update) {
            batch.add(update);
            if (batch.size() == MirrorTransactions.MAX_BATCH) {
                flush();
            }
        }

        private void flush() {
            try {
                if (failure == null && !batch.isEmpty()) {
                    backend.apply(LoggedUpdate.batch(batch, clock.millis() / 1000, OptionalLong.empty()));
                    applied += batch.size();
                }
            } catch (StorageException e) {
                failure = e;
            }
            batch.clear();
        }

        long finish() throws StorageException {
            flush();
            if (failure != null) {
                throw failure;
            }
            return applied;
        }
    }

    private static Backup restore(DatabaseFile restorable, Path copy, long fromLog) throws StorageException {
        long revision;
        long count;
        try (StorageView view = restorable.view()) {
            List<String> damages = view.damages();
            if (!damages.isEmpty()) {
                throw new StorageException("the copy is not sound, nor perhaps what it was copied from: " + damages);
            }
            revision = view.revision();
            count = view.count();
        }
        try (HashDatabase backend = restorable.open()) {
            HashIndex index = new HashIndex(KeyedHash.random(), count, (long) (count * backend.signedShare()));
            backend.load(index::load, done -> {});
            if (index.size() != count) {
                throw new StorageException("the copy has " + count + " rows, and " + index.size()
                        + " hashes could be restored from it");
            }
            return new Backup(count, revision, fromLog, Files.size(copy));
        } catch (IOException e) {
            throw new StorageException("the backup cannot be read again: " + Reason.of(e), e);
        }
    }
}
