package dev.weir.storage.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.backend.sqlite.SqliteInspection;
import dev.weir.storage.backend.sqlite.SqliteStore;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.storage.store.CheckpointLockFile;
import dev.weir.storage.store.StoreSettings;
import dev.weir.storage.store.StoreView;

/** A locked data folder. The only class that decides which kind of backend or store a folder has. */
public final class FolderStore implements EngineStore {
    private final DataFolder folder;
    private final BackendKind kind;
    private final Optional<BackendStore> mirror;
    private final Optional<SharedSettings> shared;

    private FolderStore(DataFolder folder, BackendKind kind, Optional<BackendStore> mirror,
            Optional<SharedSettings> shared) {
        this.folder = folder;
        this.kind = kind;
        this.mirror = mirror;
        this.shared = shared;
    }

    /**
     * Locks a folder, creating it if it does not exist.
     *
     * @throws StorageException as {@link DataFolder#open}
     */
    public static FolderStore open(Path folder) throws StorageException {
        return open(folder, BackendKind.SQLITE);
    }

    /**
     * Locks a folder with hashes in one kind of place, creating it if it does not exist.
     *
     * @throws StorageException as {@link DataFolder#open}, or if its hashes are in another kind of place
     */
    public static FolderStore open(Path folder, BackendKind kind) throws StorageException {
        DataFolder locked = switch (kind) {
            case SQLITE -> DataFolder.open(folder);
            case STORE -> DataFolder.openStore(folder);
        };
        return new FolderStore(locked, kind, Optional.empty(), Optional.empty());
    }

    /** A folder that is locked already; {@link #close} releases it. */
    public static FolderStore of(DataFolder locked) {
        return new FolderStore(locked, BackendKind.SQLITE, Optional.empty(), Optional.empty());
    }

    /**
     * A folder with a store that is locked already; {@link #close} releases it.
     *
     * @param mirror the database that follows the store; empty for none
     */
    public static FolderStore ofStore(DataFolder locked, Optional<Path> mirror) {
        return new FolderStore(locked, BackendKind.STORE, mirror.map(FolderStore::backendAt), Optional.empty());
    }

    /** Returns the same folder with a store, for a node that shares its hashes with others. */
    public FolderStore sharedWith(SharedSettings engine) {
        return new FolderStore(folder, kind, mirror, Optional.of(engine));
    }

    @Override
    public Optional<SharedPlace> sharing() {
        return shared.map(engine -> new SharedPlace(engine, folder.file(DataFolder.SHARED)));
    }

    /** The backend in a file, such as a backup. */
    public static BackendStore backendAt(Path file) {
        return new SqliteStore(file);
    }

    /**
     * A view of the backend of a folder, which a storage may be using.
     *
     * @throws StorageException if the folder has no storage, or it cannot be read
     */
    public static BackendView view(Path folder) throws StorageException {
        return DataFolder.hasStore(folder)
                ? StoreView.open(folder.resolve(DataFolder.STORE))
                : backendAt(DataFolder.databaseIn(folder)).view();
    }

    /**
     * Returns the version that a worker of Rspamd wrote for a source of updates into the database of a folder; empty if
     * there is none.
     *
     * @throws StorageException if the database cannot be read
     */
    public static OptionalLong sourceVersion(Path folder, String source) throws StorageException {
        Path database = DataFolder.database(folder);
        return DataFolder.hasStore(folder) || !Files.exists(database)
                ? OptionalLong.empty()
                : SqliteInspection.sourceVersion(database, source);
    }

    /** Copies the last time at which the storage of a folder was running, if known, to another folder. */
    public static void copyLastTime(Path folder, Path target) {
        LastTime.read(folder.resolve(DataFolder.CLOCK))
                .ifPresent(millis -> LastTime.write(target.resolve(DataFolder.CLOCK), millis));
    }

    @Override
    public Optional<StorePlace> openStore() throws StorageException {
        if (kind == BackendKind.SQLITE) {
            return Optional.empty();
        }
        Path place = folder.folder(DataFolder.STORE);
        return Optional.of(new StorePlace(FolderDisk.of(place), StoreSettings.DEFAULT, new SecureRandom()::nextLong,
                CheckpointLockFile.in(place), mirror));
    }

    @Override
    public BackendStore backend() {
        return backendAt(folder.database());
    }

    /** Finishes a repair of the log that was interrupted. */
    @Override
    public Disk openLog() throws StorageException {
        LogRepair.finish(folder.file(DataFolder.UPDATES));
        return FolderDisk.of(folder.folder(DataFolder.UPDATES));
    }

    @Override
    public SnapshotStore snapshot() {
        return new SnapshotFile(folder.file(DataFolder.INDEX));
    }

    @Override
    public OptionalLong lastTime() {
        return LastTime.read(folder.file(DataFolder.CLOCK));
    }

    @Override
    public void saveLastTime(long millis) {
        LastTime.write(folder.file(DataFolder.CLOCK), millis);
    }

    @Override
    public void close() throws StorageException {
        folder.close();
    }
}
