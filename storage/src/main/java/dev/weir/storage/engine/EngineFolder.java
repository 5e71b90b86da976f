package dev.weir.storage.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.checkpoint.CheckpointLockFile;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.sqlite.ReadOnly;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.database.sqlite.SqliteInspection;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.mirror.MirrorPlace;
import dev.weir.storage.shared.SharedNode;
import dev.weir.storage.shared.SharedSettings;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.view.StorageView;

/** A locked data folder with a store. The only class that decides which kind of database others read. */
public final class EngineFolder implements EngineFiles {
    private final DataFolder folder;
    private final Optional<MirrorPlace> mirror;
    private final Optional<SharedSettings> shared;

    /** Whether the log keeps what the shared Redis may lack. */
    private final boolean keepsForEngine;
    private final StateFiles files;

    private EngineFolder(DataFolder folder, Optional<MirrorPlace> mirror, Optional<SharedSettings> shared,
            boolean keepsForEngine, StateFiles files) {
        this.folder = folder;
        this.mirror = mirror;
        this.shared = shared;
        this.keepsForEngine = keepsForEngine;
        this.files = files;
    }

    /**
     * Locks a folder, creating it if it does not exist.
     *
     * @throws StorageException as {@link DataFolder#openStore}
     */
    public static EngineFolder open(Path folder) throws StorageException {
        return of(DataFolder.openStore(folder), Optional.empty());
    }

    /**
     * A folder that is locked already; {@link #close} releases it.
     *
     * @param mirror the database that follows the store; empty for none
     */
    public static EngineFolder of(DataFolder locked, Optional<MirrorPlace> mirror) {
        return new EngineFolder(locked, mirror, Optional.empty(), false,
                new StateFiles(locked.path(), InstantSource.system()));
    }

    /** Returns the same folder for a tool, which does not know whether a node shares the hashes of the folder. */
    public EngineFolder forTool() {
        return new EngineFolder(folder, mirror, Optional.empty(), true, files);
    }

    /** Returns the same folder for a node that shares its hashes with others. */
    public EngineFolder sharedWith(SharedSettings engine) {
        return new EngineFolder(folder, mirror, Optional.of(engine), true, files);
    }

    /** Returns the same folder with the small files that the whole storage shares. */
    public EngineFolder with(StateFiles all) {
        return new EngineFolder(folder, mirror, shared, keepsForEngine, all);
    }

    /** Returns the small files of the folder. */
    public StateFiles files() {
        return files;
    }

    @Override
    public List<Trouble> troubles() {
        return files.troubles();
    }

    @Override
    public Optional<SharedPlace> sharing() {
        return shared.map(engine -> new SharedPlace(engine, files));
    }

    @Override
    public OptionalLong redisHas() throws StorageException {
        return keepsForEngine ? SharedNode.reflected(files) : OptionalLong.empty();
    }

    /** The backend in a file, such as a backup. */
    public static DatabaseFile backendAt(Path file) {
        return new SqliteFile(file);
    }

    /**
     * A view of the backend of a folder, which a storage may be using.
     *
     * @throws StorageException if the folder has no storage, or it cannot be read
     */
    public static StorageView view(Path folder) throws StorageException {
        return DataFolder.hasStore(folder)
                ? CheckpointView.open(folder.resolve(DataFolder.STORE))
                : backendAt(DataFolder.databaseIn(folder)).view();
    }

    /**
     * Returns the identifier of the storage of a folder; 0 without state.
     *
     * @throws StorageException as {@link #view}
     */
    public static long storageId(Path folder) throws StorageException {
        try (StorageView view = view(folder)) {
            return view.storageId();
        }
    }

    /**
     * A view of the backend of a folder that has the older part of the audit trail: the database, if it is there and of
     * the storage, or else the store.
     *
     * @throws StorageException as {@link #view}
     */
    public static StorageView trail(Path folder) throws StorageException {
        Path database = DataFolder.database(folder);
        StorageView view = view(folder);
        if (!DataFolder.hasStore(folder) || !Files.exists(database)) {
            return view;
        }
        try (view) {
            StorageView mirror = backendAt(database).view();
            if (mirror.hasState() && mirror.storageId() == view.storageId()) {
                return mirror;
            }
            mirror.close();
        }
        return view(folder);
    }

    /**
     * Returns the versions of the sources of updates in the database of a folder, as the old replication of Rspamd
     * counts them. The source {@code local} is the storage that wrote the database. Empty without a database.
     *
     * @throws StorageException if the database cannot be read
     */
    public static Map<String, Long> sourceVersions(Path folder) throws StorageException {
        Path database = DataFolder.database(folder);
        return Files.exists(database) ? SqliteInspection.sourceVersions(database) : Map.of();
    }

    /**
     * Writes a consistent copy of another SQLite file, which a program may be writing to, into a new file.
     *
     * @throws StorageException if one of the two cannot be used
     */
    public static void copyDatabase(Path file, Path target) throws StorageException {
        ReadOnly.copy(file, target);
    }

    @Override
    public CheckpointPlace openStore() throws StorageException {
        Path place = folder.folder(DataFolder.STORE);
        return new CheckpointPlace(FolderDisk.of(place), CheckpointSettings.DEFAULT, new SecureRandom()::nextLong,
                CheckpointLockFile.in(place), mirror);
    }

    /** Finishes a repair of the log that was interrupted. */
    @Override
    public Disk openLog() throws StorageException {
        LogRepair.finish(folder.file(DataFolder.UPDATES));
        return FolderDisk.of(folder.folder(DataFolder.UPDATES));
    }

    @Override
    public LogEndNote logEnd(long storageId) {
        return LogEndFile.of(files, storageId);
    }

    @Override
    public boolean hasRun() {
        return LogEndFile.exists(folder.file(""));
    }

    @Override
    public Optional<LastRun> lastRun(long storageId) throws StorageException {
        return LastRun.read(files, storageId);
    }

    @Override
    public void saveLastRun(long storageId, LastRun last) {
        last.write(files, storageId);
    }

    @Override
    public void close() throws StorageException {
        folder.close();
    }
}
