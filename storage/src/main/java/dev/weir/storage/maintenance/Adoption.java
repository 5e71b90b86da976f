package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.ForeignLogException;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.UpdateLog;

/**
 * The take-over of a database that came into a data folder from elsewhere, as with SQLite's {@code .restore}. The
 * update log of the folder does not go on from such a database. It is set aside and never deleted, and the next start
 * begins a new one (docs/moving.md#a-copy-of-a-database).
 */
public final class Adoption {
    private final Path folder;

    /** Prepares the take-over of the database of a stopped storage. */
    public Adoption(Path folder) {
        this.folder = folder;
    }

    /**
     * What a take-over finds.
     *
     * @param hashes the number of digests in the database
     * @param log whether there is an update log to set aside
     * @param lacking the number of updates of that log that the database lacks; empty if the log belongs to another
     * storage, so that all of its updates do
     */
    public record Plan(long hashes, boolean log, OptionalLong lacking) {}

    /**
     * Returns what a take-over would do, and changes nothing.
     *
     * @throws StorageException if another process uses the folder, or database or log cannot be read
     */
    public Plan plan() throws StorageException {
        try (DataFolder locked = DataFolder.open(folder); Backend database = FolderStore.of(locked).backend().open()) {
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            if (!Files.isDirectory(log) || UpdateLog.isAbsent(FolderDisk.readOnly(log))) {
                return new Plan(database.count(), false, OptionalLong.of(0));
            }
            OptionalLong lacking;
            try {
                lacking = OptionalLong
                        .of(new LogRepair(log, database.storageId(), database.revision()).plan().kept());
            } catch (ForeignLogException e) {
                lacking = OptionalLong.empty();
            }
            return new Plan(database.count(), true, lacking);
        }
    }

    /**
     * Carries it out.
     *
     * @return the folder in which the old log now is; empty if there was none
     * @throws StorageException as {@link #plan}, or if database or folder cannot be written
     */
    public Optional<Path> run(InstantSource clock) throws StorageException {
        try (DataFolder locked = DataFolder.open(folder); Backend database = FolderStore.of(locked).backend().open()) {
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            // The number comes first: a start after a crash between both refuses the log.
            database.renumber();
            if (!Files.isDirectory(log) || UpdateLog.isAbsent(FolderDisk.readOnly(log))) {
                return Optional.empty();
            }
            Path aside = log.resolveSibling(DataFolder.UPDATES + ".before-" + clock.millis());
            Files.move(log, aside, StandardCopyOption.ATOMIC_MOVE);
            FolderDisk.force(folder);
            return Optional.of(aside);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be set aside: " + e.getMessage(), e);
        }
    }
}
