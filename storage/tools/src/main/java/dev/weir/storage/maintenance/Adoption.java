package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.LastRun;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.ForeignLogException;
import dev.weir.storage.log.LogEnd;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.view.StorageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The take-over of a database that came into a data folder from elsewhere, as with SQLite's {@code .restore}. The store
 * and the update log of the folder do not go on from such a database. They are set aside and never deleted, and the
 * next start carries the database over into a new store (docs/operate/moving.md#a-copy-of-a-database).
 */
public final class Adoption {
    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

    private final Path folder;

    /** Prepares the take-over of the database of a stopped storage. */
    public Adoption(Path folder) {
        this.folder = folder;
    }

    /**
     * What a take-over finds.
     *
     * @param hashes the number of digests in the database
     * @param store whether there is a store to set aside
     * @param log whether there is an update log to set aside
     * @param lacking the number of updates that the storage had and the database lacks: of the log, of the store if it
     * can be read, or by the note about the end of the log; empty if the log belongs to another storage, so that all of
     * its updates are lacking
     */
    public record Plan(long hashes, boolean store, boolean log, OptionalLong lacking) {}

    /**
     * Returns what a take-over would do, and changes nothing.
     *
     * @throws StorageException if another process uses the folder, or database or log cannot be read
     */
    public Plan plan() throws StorageException {
        try (DataFolder locked = DataFolder.openAny(folder); StorageView database = database().view()) {
            boolean store = DataFolder.hasStore(folder);
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            // An empty log cannot tell, nor one that begins after what the database lacks.
            long known = Math.max(0, known(database.storageId()) - database.revision());
            if (!Files.isDirectory(log) || UpdateLog.isAbsent(FolderDisk.readOnly(log))) {
                return new Plan(database.count(), store, false, OptionalLong.of(known));
            }
            OptionalLong lacking;
            try {
                lacking = OptionalLong.of(Math.max(known,
                        new LogRepair(log, database.storageId(), database.revision()).plan().kept()));
            } catch (ForeignLogException e) {
                lacking = OptionalLong.empty();
            }
            return new Plan(database.count(), store, true, lacking);
        }
    }

    /** Returns the last update that the storage certainly had, by its store and by the note about its log. */
    private long known(long storageId) throws StorageException {
        long last = LogEndFile.readOnly(folder, storageId).read().map(LogEnd::least).orElse(0L);
        try (CheckpointView store = CheckpointView.open(folder.resolve(DataFolder.STORE))) {
            return store.storageId() == storageId ? Math.max(last, store.revision()) : last;
        } catch (StorageException e) {
            LOG.debug("the store cannot be read", e);
            return last;
        }
    }

    /**
     * Carries it out.
     *
     * @return the folders in which the old log and the old store now are, and the files with notes about them
     * @throws StorageException as {@link #plan}, or if database or folder cannot be written
     */
    public List<Path> run(InstantSource clock) throws StorageException {
        try (DataFolder locked = DataFolder.openAny(folder); HashDatabase database = database().open()) {
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            // The number comes first: a start after a crash in between refuses log and store.
            database.renumber();
            List<Path> aside = new ArrayList<>();
            if (Files.isDirectory(log) && !UpdateLog.isAbsent(FolderDisk.readOnly(log))) {
                aside.add(setAside(log, clock));
            }
            if (DataFolder.hasStore(folder)) {
                aside.add(setAside(locked.file(DataFolder.STORE), clock));
            }
            // They tell of the storage that is aside now. Under the new number, a start would take them for damaged.
            Files.deleteIfExists(locked.file(DataFolder.LOG_END));
            Files.deleteIfExists(locked.file(DataFolder.FOLLOWERS));
            Files.deleteIfExists(locked.file(DataFolder.MIRRORED));
            StateFiles files = new StateFiles(folder, clock);
            LastRun.handOver(files, database.storageId());
            files.handOver(DataFolder.STAYING, database.storageId());
            for (String note : List.of(DataFolder.IMPORTS, DataFolder.PUSHES, DataFolder.PUSHED_BATCH)) {
                // What they say is about the hashes that are set aside.
                if (Files.exists(locked.file(note))) {
                    aside.add(setAside(locked.file(note), clock));
                }
            }
            return aside;
        } catch (IOException e) {
            throw new StorageException("store and update log cannot be set aside: " + Reason.of(e), e);
        }
    }

    private DatabaseFile database() throws StorageException {
        Path file = DataFolder.database(folder);
        if (!Files.exists(file)) {
            throw new StorageException("there is no " + file.getFileName() + " in " + folder);
        }
        return new SqliteFile(file);
    }

    private Path setAside(Path part, InstantSource clock) throws IOException {
        Path aside = part.resolveSibling(part.getFileName() + ".before-" + clock.millis());
        Files.move(part, aside, StandardCopyOption.ATOMIC_MOVE);
        FolderSync.force(folder);
        return aside;
    }
}
