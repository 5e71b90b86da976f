package dev.weir.storage.maintenance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.view.StorageView;
import org.jspecify.annotations.Nullable;

/**
 * A complete check of a storage, which may be running. It changes nothing.
 *
 * @param hashes in the database or the store
 * @param revision of the last update that the database or the store has
 * @param pending updates that only the log has
 * @param damages sentences about damage; empty for a sound storage
 * @param leftovers harmless rows that belong to nothing
 */
public record Verification(long hashes, long revision, long pending, List<String> damages, List<String> leftovers) {

    private static final long EVERYTHING = -1;

    /** Copies the lists. */
    public Verification {
        damages = List.copyOf(damages);
        leftovers = List.copyOf(leftovers);
    }

    /** Returns whether nothing is broken. */
    public boolean isSound() {
        return damages.isEmpty();
    }

    /**
     * Checks a storage.
     *
     * @throws StorageException if there is no storage, or it cannot even be opened for reading
     */
    public static Verification of(Path folder) throws StorageException {
        DataFolder.requireStorage(folder);
        // The log first: what leaves it while the database is checked is in the database by then.
        LogHistory log = null;
        String unreadable = "";
        try {
            log = log(folder);
        } catch (StorageException e) {
            unreadable = String.valueOf(e.getMessage());
        }
        try (LogHistory history = log; StorageView view = FolderView.of(folder)) {
            List<String> damages = new ArrayList<>(view.damages());
            if (DataFolder.hasStore(folder)) {
                damages.addAll(SmallFiles.damages(folder, view.storageId()));
            }
            if (!view.damages().isEmpty()) {
                return new Verification(0, 0, 0, damages, List.of());
            }
            long revision = view.revision();
            long[] pending = new long[1];
            if (!unreadable.isEmpty()) {
                damages.add(unreadable);
            }
            if (history != null) {
                damages.addAll(damages(history, revision, pending));
            }
            return new Verification(view.count(), revision, pending[0], damages,
                    view.leftovers());
        }
    }

    /** Null without a log, or without a database that says which log is its own. */
    private static @Nullable LogHistory log(Path folder) throws StorageException {
        Path log = folder.resolve(DataFolder.UPDATES);
        try (StorageView view = FolderView.of(folder)) {
            if (!view.hasState() || (!DataFolder.hasStore(folder) && !Files.isDirectory(log))) {
                return null;
            }
            return LogHistory.open(log, view.storageId(), DataFolder.hasStore(folder)
                    ? LogEndFile.readOnly(folder, view.storageId())
                    : LogEndNote.NONE);
        }
    }

    /** What cannot be read of the pending updates, which are counted, and of those that the database has. */
    private static List<String> damages(LogHistory history, long revision, long[] pending) {
        List<String> damages = new ArrayList<>();
        try {
            List<LogDamage> found = history.read(revision, update -> pending[0]++);
            found.forEach(damage -> damages.add(damage.toString()));
            for (LogDamage damage : history.read(EVERYTHING, update -> {})) {
                if (damage.last() <= revision && !found.contains(damage)) {
                    damages.add(damage + "; the database has all of them, the audit trail lacks them");
                }
            }
        } catch (StorageException e) {
            damages.add(String.valueOf(e.getMessage()));
        }
        return damages;
    }
}
