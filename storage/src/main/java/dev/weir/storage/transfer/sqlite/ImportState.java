package dev.weir.storage.transfer.sqlite;

import java.util.HashMap;
import java.util.Map;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.HashWriter;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.ImportProgress;
import dev.weir.storage.transfer.Merge;

/**
 * The progress of imports, stored in {@code weir_state} in the transactions of the imported hashes. A row {@code import
 * MODE FINGERPRINT} contains the position of the last hash, or {@link HashTarget#DONE} for a complete {@code add}. That
 * row stays, so that the same content is never added twice.
 */
final class ImportState {
    private static final String PREFIX = "import ";

    private final HashWriter writer;
    private final String name;
    private final boolean keepWhenDone;

    ImportState(HashWriter writer, long fingerprint, Merge merge) {
        this.writer = writer;
        this.name = ImportProgress.name(merge, fingerprint);
        this.keepWhenDone = merge == Merge.ADD;
    }

    /**
     * Returns the position to continue from.
     *
     * @throws StorageException if an {@code add} of other content is incomplete, because another import would lose its
     *         progress
     */
    long begin(boolean restart) throws StorageException {
        Map<String, Long> known = new HashMap<>();
        writer.states(PREFIX).forEach((row, position) -> known.put(row.substring(PREFIX.length()), position));
        ImportProgress progress = ImportProgress.of(known, name, restart);
        writer.batch(() -> {
            for (String obsolete : progress.obsolete()) {
                writer.removeState(PREFIX + obsolete);
            }
            return true;
        });
        return progress.position();
    }

    /** Records a position. Within a batch. */
    void put(long position) throws StorageException {
        writer.putState(PREFIX + name, position);
    }

    /** Records the completion. Within a batch. */
    void done() throws StorageException {
        if (keepWhenDone) {
            writer.putState(PREFIX + name, HashTarget.DONE);
        } else {
            writer.removeState(PREFIX + name);
        }
    }
}
