package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

import dev.weir.os.DiskSpace;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A start with a store in a folder whose hashes are in a database: it copies them into a new store. The database stays
 * as it is. The update log stays, too: the store has the database's number and revision, so that a start applies the
 * updates that the database lacks.
 */
public final class CarryOver {
    private static final Logger LOG = LoggerFactory.getLogger(CarryOver.class);

    /** A checkpoint takes about a second, and reading so many hashes takes about five. */
    private static final int CHECKPOINT_HASHES = 500_000;

    /** About the size of a hash with a signature in a store. */
    private static final int HASH_BYTES = 360;

    private final DataFolder folder;
    private final Path database;
    private final int checkpointHashes;
    private final int batch;

    private CarryOver(DataFolder folder, int checkpointHashes, int batch) {
        this.folder = folder;
        this.database = folder.database();
        this.checkpointHashes = checkpointHashes;
        this.batch = batch;
    }

    /**
     * Locks a folder for a storage with a store. Creates the folder if it does not exist, and carries over a database.
     *
     * @param mirror the database that will follow the store; may be the one that is carried over
     * @throws StorageException if the folder cannot be used, or the database cannot be carried over completely
     */
    public static FolderStore open(Path folder, Optional<Path> mirror, StartProgress progress)
            throws StorageException {
        return open(folder, mirror, progress, CHECKPOINT_HASHES, Transfer.DEFAULT_BATCH);
    }

    static FolderStore open(Path folder, Optional<Path> mirror, StartProgress progress, int checkpointHashes, int batch)
            throws StorageException {
        DataFolder locked = DataFolder.openAny(folder);
        try {
            if (!DataFolder.hasStore(folder) && Files.exists(locked.database())) {
                new CarryOver(locked, checkpointHashes, batch).run(mirror, progress);
            }
            return FolderStore.ofStore(locked, mirror);
        } catch (Throwable e) {
            locked.close();
            throw e;
        }
    }

    private void run(Optional<Path> mirror, StartProgress progress) throws StorageException {
        boolean goesOn = mirror.isPresent() && mirror.get().toAbsolutePath().equals(database.toAbsolutePath());
        if (goesOn) {
            // Gives a database of Rspamd a number, and takes over what Rspamd changed in one of Weir.
            LOG.info("preparing {} as the mirror of a store", database);
            FolderStore.backendAt(database).open().close();
        }
        long storageId;
        long revision;
        try (BackendView view = FolderStore.backendAt(database).view()) {
            storageId = view.hasState() ? view.storageId() : new SecureRandom().nextLong();
            revision = view.revision();
        }
        try (HashSource source = SqliteSource.open(database);
                CarriedTarget target = new CarriedTarget(folder, storageId, revision, checkpointHashes)) {
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
            throw new StorageException("the free space of the disk is unknown: " + e.getMessage(), e);
        }
    }

    /** The index of the last stop belongs to the database. */
    private void deleteSnapshot() {
        try {
            Files.deleteIfExists(folder.file(DataFolder.INDEX));
        } catch (IOException e) {
            LOG.warn("{} is of no use any more and cannot be deleted: {}", folder.file(DataFolder.INDEX),
                    e.getMessage());
        }
    }
}
