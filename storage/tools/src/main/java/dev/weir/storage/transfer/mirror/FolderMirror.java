package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.DatabaseIoException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.FileState;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.database.sqlite.SqliteInspection;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.mirror.MirrorPlace;
import dev.weir.storage.state.StateFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The mirror of the store in a data folder. If it is the database of the folder, its changes by Rspamd count. */
public final class FolderMirror implements MirrorPlace {
    private static final Logger LOG = LoggerFactory.getLogger(FolderMirror.class);

    private final Path data;
    private final Path database;
    private final DatabaseFile backend;
    private final InstantSource clock;
    private final Optional<MirrorMark> mark;

    /** The mirror of a folder in a database, which need not exist. */
    public FolderMirror(Path data, Path database, InstantSource clock) {
        this.data = data;
        // A mirror that is built again takes the place of the file, not of a link to it.
        this.database = DataFolder.followed(database);
        this.backend = new SqliteFile(this.database);
        this.clock = clock;
        this.mark = isOfFolder(data, database) ? Optional.of(mark(data)) : Optional.empty();
    }

    /** Returns whether a database is the one of the folder. */
    public static boolean isOfFolder(Path data, Path database) {
        return DataFolder.followed(database).toAbsolutePath().normalize()
                .equals(DataFolder.database(data).toAbsolutePath().normalize());
    }

    /** What a start finds in the place of the database that follows a store. */
    public enum Finding {
        /** Nothing, or what Weir left there, or something that cannot be read. */
        OWN,
        /** The mirror, which another program has changed since. */
        CHANGED,
        /** Hashes of another storage. */
        FOREIGN
    }

    private static MirrorMark mark(Path data) {
        return new MirrorMark(new StateFiles(data, InstantSource.system()));
    }

    /**
     * Compares the database of a folder with what Weir left there. Changes nothing.
     *
     * @param storageId the number of the store beside it
     */
    public static Finding find(Path data, long storageId) throws StorageException {
        return find(data, storageId, mark(data).peek(storageId));
    }

    /**
     * Does the same for a start, which has locked the folder.
     *
     * @param files the small files of the folder
     */
    public static Finding find(Path data, long storageId, StateFiles files) throws StorageException {
        return find(data, storageId, new MirrorMark(files).read(storageId));
    }

    private static Finding find(Path data, long storageId, Optional<FileState> left) throws StorageException {
        Path database = DataFolder.database(data);
        if (!Files.exists(database)) {
            return Finding.OWN;
        }
        try {
            if (left.isPresent() && left.equals(new SqliteFile(database).fingerprint())) {
                return Finding.OWN;
            }
        } catch (IOException e) {
            LOG.debug("{} cannot be read", database, e);
        }
        try (SqliteInspection found = SqliteInspection.open(database)) {
            if (found.hasState() && found.storageId() == storageId) {
                return left.isPresent() || found.isChangedByRspamd() ? Finding.CHANGED : Finding.OWN;
            }
            return found.count() > 0 ? Finding.FOREIGN : Finding.OWN;
        } catch (DatabaseDamagedException | DatabaseIoException e) {
            LOG.error("{} cannot be compared with the store: {}", database, e.getMessage());
            return Finding.OWN;
        }
    }

    /**
     * Notes that another program has changed the database of a folder, until {@link #noteTaken}.
     *
     * @param storageId the number of the store beside it
     * @throws StorageException if that cannot be noted
     */
    public static void noteChanged(Path data, long storageId) throws StorageException {
        mark(data).writeChanged(storageId);
    }

    /**
     * Notes that the store has everything that the database of the folder has.
     *
     * @throws StorageException if that cannot be noted
     */
    public static void noteTaken(Path data) throws StorageException {
        mark(data).delete();
    }

    @Override
    public DatabaseFile backend() {
        return backend;
    }

    @Override
    public Optional<String> adoption() {
        return mark.map(_ -> DataFolder.adoption(data));
    }

    @Override
    public void opening() throws StorageException {
        if (mark.isPresent()) {
            mark.get().delete();
        }
    }

    @Override
    public void closed() {
        if (mark.isEmpty()) {
            return;
        }
        try {
            Optional<FileState> left = backend.fingerprint();
            if (left.isPresent()) {
                mark.get().write(FolderView.storageId(data), left.get());
            } else {
                LOG.info("another program has {} open", database);
            }
        } catch (IOException | StorageException e) {
            LOG.warn("the state of {} cannot be noted: {}", database, Reason.of(e));
        }
    }

    @Override
    public void build(BooleanSupplier stopped) throws StorageException {
        opening();
        MirrorBuild.replace(data, database, clock, stopped);
    }
}
