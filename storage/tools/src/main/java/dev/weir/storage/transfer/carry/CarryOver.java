package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import dev.weir.os.DiskSpace;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.DatabaseIoException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LogReleasedException;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.mirror.MirrorAttachment;
import dev.weir.storage.mirror.MirrorPlace;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.mirror.FolderMirror;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import dev.weir.storage.view.StorageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first start in a folder whose hashes are in a database, of Rspamd or of an earlier version: it copies them into a
 * new store. The update log stays: the store has the database's number and revision, so that a start applies the
 * updates that the database lacks.
 *
 * <p>A database that mirrors the store stays in its place. If Rspamd has changed it since, the hashes are copied again:
 * the database has everything that the store had, except for what the log still has.
 */
public final class CarryOver {
    private static final Logger LOG = LoggerFactory.getLogger(CarryOver.class);

    /** A checkpoint takes about a second, and reading so many hashes takes about five. */
    private static final int CHECKPOINT_HASHES = 500_000;

    /** About the size of a hash with a signature in a store. */
    private static final int HASH_BYTES = 360;

    /** The number of updates of the log in memory. */
    private static final int READ_AT_ONCE = 1_024;

    private final DataFolder folder;
    private final StateFiles files;
    private final Path database;
    private final int checkpointHashes;
    private final int batch;

    private CarryOver(DataFolder folder, StateFiles files, int checkpointHashes, int batch) {
        this.folder = folder;
        this.files = files;
        this.database = folder.database();
        this.checkpointHashes = checkpointHashes;
        this.batch = batch;
    }

    /**
     * Locks a folder for a storage. Creates the folder if it does not exist, and carries over a database.
     *
     * @param files the small files of the folder
     * @param mirror the database that follows the store afterwards; it can be the database to carry over
     * @throws StorageException if the folder cannot be used, the database cannot be carried over completely, or the
     *             database of the folder should follow the store but has hashes of another storage
     */
    public static EngineFolder open(Path folder, StateFiles files, Optional<Path> mirror, StartProgress progress)
            throws StorageException {
        return open(folder, files, mirror, progress, CHECKPOINT_HASHES, Transfer.DEFAULT_BATCH);
    }

    /**
     * Does the same with files of its own.
     *
     * @param mirror the database that follows the store afterwards; it can be the database to carry over
     * @throws StorageException if the folder cannot be used, the database cannot be carried over completely, or the
     *             database of the folder should follow the store but has hashes of another storage
     */
    public static EngineFolder open(Path folder, Optional<Path> mirror, StartProgress progress)
            throws StorageException {
        return open(folder, mirror, progress, CHECKPOINT_HASHES, Transfer.DEFAULT_BATCH);
    }

    static EngineFolder open(Path folder, Optional<Path> mirror, StartProgress progress, int checkpointHashes,
            int batch)
            throws StorageException {
        return open(folder, new StateFiles(folder, InstantSource.system()), mirror, progress, checkpointHashes, batch);
    }

    private static EngineFolder open(Path folder, StateFiles files, Optional<Path> mirror, StartProgress progress,
            int checkpointHashes, int batch) throws StorageException {
        boolean goesOn = mirror.filter(file -> FolderMirror.isOfFolder(folder, file)).isPresent();
        return open(folder, files, progress, checkpointHashes, batch, goesOn, mirror
                .map(file -> new FolderMirror(folder, file, InstantSource.system())));
    }

    /**
     * Does the same for a program that changes the store while no storage runs. The database follows at the next start.
     *
     * @throws StorageException as {@link #open}
     */
    public static EngineFolder openWithoutMirror(Path folder) throws StorageException {
        boolean goesOn = Files.exists(DataFolder.database(folder))
                && (!DataFolder.hasStore(folder) || find(folder) != FolderMirror.Finding.FOREIGN);
        return open(folder, new StateFiles(folder, InstantSource.system()), StartProgress.NONE, CHECKPOINT_HASHES,
                Transfer.DEFAULT_BATCH, goesOn, Optional.empty());
    }

    private static EngineFolder open(Path folder, StateFiles files, StartProgress progress, int checkpointHashes,
            int batch, boolean goesOn, Optional<MirrorPlace> mirror) throws StorageException {
        DataFolder locked = DataFolder.openAny(folder);
        try {
            new CarryOver(locked, files, checkpointHashes, batch).runIfDue(folder, goesOn, progress);
            EngineFolder opened = EngineFolder.of(locked, files);
            return mirror.map(place -> opened.with(new MirrorAttachment(place))).orElse(opened);
        } catch (Throwable e) {
            locked.close();
            throw e;
        }
    }

    private static FolderMirror.Finding find(Path folder) throws StorageException {
        return FolderMirror.find(folder, FolderView.storageId(folder));
    }

    private void runIfDue(Path data, boolean goesOn, StartProgress progress) throws StorageException {
        if (!Files.exists(database)) {
            return;
        }
        if (!DataFolder.hasStore(data)) {
            run(data, goesOn, 0, progress);
            return;
        }
        if (!goesOn) {
            return;
        }
        switch (FolderMirror.find(data, FolderView.storageId(data), files)) {
            case OWN -> {
                // The mirror follows, or is built again.
            }
            case FOREIGN -> throw new StorageException(foreign(data));
            case CHANGED -> {
                try {
                    long logged = requireLog(data);
                    LOG.info("another program has changed {}: taking over its hashes again", database);
                    breakHistory();
                    run(data, true, logged, progress);
                } catch (DatabaseDamagedException | DatabaseIoException e) {
                    LOG.error("the changes of another program in {} are not taken over, and the storage goes on with "
                            + "its store: {}", database, e.getMessage());
                }
            }
        }
    }

    /**
     * Checks that the log has every update that the changed database lacks, and that the database follows from the same
     * updates, because its store will be replaced.
     *
     * @return the last update of the store
     */
    private long requireLog(Path data) throws StorageException {
        long storageId;
        long stored;
        try (StorageView store = FolderView.of(data)) {
            storageId = store.storageId();
            stored = store.revision();
        }
        try (HashDatabase changed = new SqliteFile(database).reopen();
                UpdateLog log = UpdateLog.open(FolderDisk.of(folder.folder(DataFolder.UPDATES)),
                        LogLimits.DEFAULT.withMost(Long.MAX_VALUE / 4), storageId, stored,
                        List.of(), LogEndFile.of(data, storageId), InstantSource.system(),
                        System::nanoTime,
                        Runnable::run, _ -> {})) {
            long reached = changed.revision();
            String which = "another program has changed " + database + ", which ";
            if (reached > log.durable()) {
                throw new StorageException(which + "has updates that the store beside it has lost: " + decision(data));
            }
            if (!log.has(reached + 1) || !isReadable(log, reached, stored)) {
                throw new StorageException(which + "lacks updates that only the store beside it has (it ends with "
                        + "update " + reached + "): " + decision(data));
            }
            OptionalLong history = changed.history();
            if (history.isPresent() && !history.equals(log.checksumAt(reached))) {
                throw new StorageException(which + "has other updates than the store beside it: " + decision(data));
            }
        }
        return stored;
    }

    /** Returns whether a log has every update after one up to another. */
    private static boolean isReadable(UpdateLog log, long after, long until) throws StorageException {
        try (LogReader reader = log.reader(after + 1)) {
            while (reader.next() <= until) {
                if (reader.read((int) Math.min(READ_AT_ONCE, until + 1 - reader.next())).isEmpty()) {
                    return false;
                }
            }
            return true;
        } catch (LogDamagedException | LogReleasedException e) {
            LOG.error("the update log: {}", e.getMessage());
            return false;
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
    }

    private static String foreign(Path data) {
        return DataFolder.database(data) + " has hashes of another storage than the store beside it: put the right "
                + "database back, " + decision(data);
    }

    /**
     * Returns why the next start will refuse the database of a folder; empty if its hashes are those of the store. It
     * may have changes of another program that cannot be taken over: only a start finds those.
     *
     * @throws StorageException if database or store cannot be read
     */
    public static Optional<String> refusal(Path folder) throws StorageException {
        return DataFolder.hasStore(folder) && find(folder) == FolderMirror.Finding.FOREIGN
                ? Optional.of(foreign(folder))
                : Optional.empty();
    }

    /** Returns what an operator can do about a database whose updates are not all in the store or its log. */
    private static String decision(Path data) {
        return "move the database away to have it written again from the store, or run " + DataFolder.adoption(data)
                + " to go on with it instead of the store";
    }

    /** Makes other nodes copy the hashes, because the log does not have the changes. */
    private void breakHistory() throws StorageException {
        try {
            UpdateLog.breakHistory(FolderDisk.of(folder.folder(DataFolder.UPDATES)));
        } catch (IOException e) {
            throw new StorageException("the update log cannot be written: " + Reason.of(e), e);
        }
    }

    private void run(Path data, boolean goesOn, long logged, StartProgress progress) throws StorageException {
        if (goesOn) {
            // Gives a database of Rspamd a number, and takes over what Rspamd changed in one of Weir.
            LOG.info("preparing {} as the mirror of a store", database);
            if (DataFolder.hasStore(data)) {
                FolderMirror.noteChanged(data, FolderView.storageId(data));
            }
            new SqliteFile(database).open().close();
        }
        long storageId;
        long revision;
        try (StorageView view = new SqliteFile(database).view()) {
            storageId = view.hasState() ? view.storageId() : new SecureRandom().nextLong();
            revision = view.revision();
        }
        try (HashSource source = SqliteSource.open(database);
                CarriedTarget target = new CarriedTarget(folder, storageId, revision, logged,
                        checkpointHashes)) {
            requireRoom(source.remaining(HashSource.START));
            TransferReport report = new Transfer(source, target, Merge.KEEP, Expiry.NONE, false, batch)
                    .run(new Transfer.Progress() {
                        @Override
                        public void preparing(long done) {
                            // A database needs no preparation.
                        }

                        @Override
                        public void moving(long done, long total) {
                            progress.carrying(done, total);
                        }

                        @Override
                        public void finishing() {
                            // The last checkpoint takes a second.
                        }
                    });
            LOG.info("carried {} hashes over from {} to {} in {} s{}", report.read(), database, target.name(),
                    report.time().toSeconds(), goesOn ? "" : "; the storage no longer uses the database");
            report.omitted().forEach((reason, count) -> LOG.warn("left out: {} {}", count, reason.words()));
        }
        FolderMirror.noteTaken(data);
        deleteSnapshot();
    }

    private void requireRoom(long hashes) throws StorageException {
        try {
            long free = DiskSpace.usable(database);
            long needed = hashes * HASH_BYTES + LogLimits.DEFAULT.reserveBytes();
            if (free < needed) {
                throw new StorageException("the store of the " + hashes + " hashes of " + database + " needs "
                        + (needed >> 20) + " MiB, and the disk has " + (free >> 20) + " MiB left");
            }
        } catch (IOException e) {
            throw new StorageException("the free space of the disk is unknown: " + Reason.of(e), e);
        }
    }

    /** A stop of an earlier version left its index. */
    private void deleteSnapshot() {
        try {
            Files.deleteIfExists(folder.file(DataFolder.INDEX));
        } catch (IOException e) {
            LOG.warn("cannot delete {}, which is no longer needed: {}", folder.file(DataFolder.INDEX),
                    Reason.of(e));
        }
    }
}
