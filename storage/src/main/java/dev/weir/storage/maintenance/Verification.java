package dev.weir.storage.maintenance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.SqliteInspection;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.server.StorageConfig;

/**
 * Reads a whole storage, which may be running, and says what is wrong with it. Changes nothing.
 *
 * @param hashes in the database
 * @param revision of the last update that the database has
 * @param pending updates that are in the log and not yet in the database
 * @param damages what is broken, in words; empty for a sound storage
 * @param leftovers rows that belong to nothing, which do no harm
 */
public record Verification(long hashes, long revision, long pending, List<String> damages, List<String> leftovers) {

    /** Copies the lists. */
    public Verification {
        damages = List.copyOf(damages);
        leftovers = List.copyOf(leftovers);
    }

    /** Whether nothing is broken. */
    public boolean isSound() {
        return damages.isEmpty();
    }

    /**
     * Reads everything.
     *
     * @throws StorageException if there is no storage, or it cannot even be opened for reading
     */
    public static Verification of(Path folder) throws StorageException {
        Path database = folder.resolve(StorageConfig.DATABASE);
        if (!Files.exists(database)) {
            throw new StorageException("there is no storage in " + folder + ": it has no " + StorageConfig.DATABASE);
        }
        try (SqliteInspection inspection = SqliteInspection.open(database)) {
            List<String> damages = new ArrayList<>(inspection.damages());
            if (!damages.isEmpty()) {
                return new Verification(0, 0, 0, damages, List.of());
            }
            long revision = inspection.revision();
            long[] pending = new long[1];
            Path log = folder.resolve(StorageConfig.LOG);
            if (inspection.hasState() && Files.isDirectory(log)) {
                try (LogHistory history = LogHistory.open(log, inspection.storageId())) {
                    for (LogDamage damage : history.read(revision, update -> pending[0]++)) {
                        damages.add(damage.toString());
                    }
                } catch (StorageException e) {
                    damages.add(String.valueOf(e.getMessage()));
                }
            }
            return new Verification(inspection.count(), revision, pending[0], damages,
                    inspection.leftovers());
        }
    }
}
