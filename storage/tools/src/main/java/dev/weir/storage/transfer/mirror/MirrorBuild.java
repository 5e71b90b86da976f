package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.storage.StorageSource;
import dev.weir.storage.view.StorageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The building of a mirror from a store, whose storage may be running. */
public final class MirrorBuild {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorBuild.class);

    private MirrorBuild() {}

    /**
     * Builds a mirror, and replaces the old one if it exists. A storage that was started with this mirror finds
     * it within seconds.
     *
     * @param data the folder of the storage
     * @param database the mirror, or a link to it, which stays
     * @throws StorageException if there is something else in its place, another program has changed the mirror, the
     *             store cannot be read, or the database cannot be written; nothing is changed then
     */
    public static TransferReport run(Path data, Path database, InstantSource clock, Transfer.Progress progress)
            throws StorageException {
        Path mirror = DataFolder.followed(database);
        if (!DataFolder.hasStore(data)) {
            throw new StorageException("there is no store in " + data + "; the first start of weir serve makes one");
        }
        boolean ofFolder = FolderMirror.isOfFolder(data, mirror);
        if (Files.exists(mirror)) {
            requireOwn(data, mirror, ofFolder, clock);
        }
        if (!ofFolder) {
            return run(data, mirror, clock, () -> false, progress);
        }
        MirrorMark mark = new MirrorMark(new StateFiles(data, clock));
        boolean stopped = mark.peek(FolderView.storageId(data)).isPresent();
        mark.delete();
        TransferReport report = run(data, mirror, clock, () -> false, progress);
        if (stopped) {
            new FolderMirror(data, mirror, clock).closed();
        }
        return report;
    }

    /** Checks that nothing is lost if a database is replaced by a mirror. */
    private static void requireOwn(Path data, Path mirror, boolean ofFolder, InstantSource clock)
            throws StorageException {
        long storageId = FolderView.storageId(data);
        if (ofFolder && FolderMirror.find(data, storageId) == FolderMirror.Finding.CHANGED) {
            throw new StorageException("another program has changed " + mirror + ": a start of weir serve with the "
                    + "backend sqlite takes over its hashes; or delete it first");
        }
        try (StorageView old = new SqliteFile(mirror).view()) {
            if (old.count() > 0 && old.storageId() != storageId) {
                throw new StorageException(mirror + " is not a mirror of the store in " + data
                        + ": choose another name, or delete it first");
            }
        } catch (DatabaseDamagedException e) {
            if (ofFolder) {
                keepAside(data, mirror, clock);
            } else {
                throw new StorageException(mirror + " exists and cannot be read. If it is the mirror, delete it first ("
                        + e.getMessage() + ")", e);
            }
        }
    }

    /** Keeps a damaged mirror, which may have what another program wrote. It also stays in its place until the end. */
    private static void keepAside(Path data, Path mirror, InstantSource clock) throws StorageException {
        Path kept = data.resolve(DataFolder.ASIDE).resolve(mirror.getFileName() + ".damaged-" + clock.millis());
        try {
            OwnerOnly.createFolders(data.resolve(DataFolder.ASIDE));
            Files.createLink(kept, mirror);
            LOG.info("the damaged database is kept as {}; delete it when you do not need it", kept);
        } catch (IOException | UnsupportedOperationException e) {
            throw new StorageException(mirror + " is damaged and cannot be kept as " + kept + " (" + Reason.of(e)
                    + "): move it away, then build the mirror", e);
        }
    }

    /** Builds a mirror and replaces the old one with it, for the storage that uses the folder. */
    static void replace(Path data, Path mirror, InstantSource clock, BooleanSupplier stopped) throws StorageException {
        run(data, mirror, clock, stopped, new Transfer.Progress() {
            @Override
            public void preparing(long done) {
                // A store needs no preparation.
            }

            @Override
            public void moving(long done, long total) {
                LOG.debug("building {}: {} of {} hashes", mirror, done, total);
            }

            @Override
            public void finishing() {
                LOG.debug("building the index of {}", mirror);
            }
        });
    }

    private static TransferReport run(Path data, Path mirror, InstantSource clock, BooleanSupplier stopped,
            Transfer.Progress progress) throws StorageException {
        try (StorageSource source = StorageSource.open(data);
                MirrorTarget target = MirrorTarget.create(mirror, source.storageId(), source.revision(), clock,
                        stopped)) {
            return new Transfer(source, target, Merge.KEEP, Expiry.NONE, true).run(progress);
        }
    }
}
