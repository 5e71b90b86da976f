package dev.weir.storage.engine;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.checkpoint.CheckpointLockFile;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.state.StateFiles;

/** The files of an engine in a locked data folder, and what is attached to the engine. */
public final class EngineFolder implements EngineFiles {
    private final DataFolder folder;
    private final StateFiles files;
    private final List<Attachment> attachments;

    private EngineFolder(DataFolder folder, StateFiles files, List<Attachment> attachments) {
        this.folder = folder;
        this.files = files;
        this.attachments = attachments;
    }

    /**
     * Locks a folder, creating it if it does not exist.
     *
     * @throws StorageException as {@link DataFolder#openStore}
     */
    public static EngineFolder open(Path folder) throws StorageException {
        return of(DataFolder.openStore(folder), new StateFiles(folder, InstantSource.system()));
    }

    /**
     * A folder that is locked already; {@link #close} releases it.
     *
     * @param files the small files that the whole storage shares
     */
    public static EngineFolder of(DataFolder locked, StateFiles files) {
        return new EngineFolder(locked, files, List.of());
    }

    /** Returns the same folder for an engine to which something more is attached. */
    public EngineFolder with(Attachment attachment) {
        return new EngineFolder(folder, files, Stream.concat(attachments.stream(), Stream.of(attachment)).toList());
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
    public List<Attachment> attachments() {
        return attachments;
    }

    @Override
    public CheckpointPlace openStore() throws StorageException {
        Path place = folder.folder(DataFolder.STORE);
        return new CheckpointPlace(FolderDisk.of(place), CheckpointSettings.DEFAULT, new SecureRandom()::nextLong,
                CheckpointLockFile.in(place));
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
