package dev.weir.storage.transfer.sqlite;

import java.util.HexFormat;
import java.util.Map;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.HashWriter;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
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
        this.name = PREFIX + merge.key() + " " + HexFormat.of().toHexDigits(fingerprint);
        this.keepWhenDone = merge == Merge.ADD;
    }

    /**
     * Returns the position to continue from.
     *
     * @throws StorageException if an {@code add} of other content is incomplete, because another import would lose its
     *         progress
     */
    long begin(boolean restart) throws StorageException {
        Map<String, Long> known = writer.states(PREFIX);
        for (Map.Entry<String, Long> other : known.entrySet()) {
            if (other.getKey().startsWith(PREFIX + Merge.ADD.key()) && !other.getKey().equals(name)
                    && other.getValue() != HashTarget.DONE && !restart) {
                throw new StorageException("an import with --merge add was interrupted and is not this one, or its "
                        + "source has changed since; finish that one first, or use --restart to give it up (what it "
                        + "added stays added)");
            }
        }
        writer.batch(() -> {
            for (Map.Entry<String, Long> other : known.entrySet()) {
                boolean same = other.getKey().equals(name);
                if (restart
                        ? same || other.getValue() != HashTarget.DONE
                        : !same
                                && other.getValue() != HashTarget.DONE) {
                    writer.removeState(other.getKey());
                }
            }
            return true;
        });
        Long position = restart ? null : known.get(name);
        return position == null ? HashSource.START : position;
    }

    /** Records a position. Within a batch. */
    void put(long position) throws StorageException {
        writer.putState(name, position);
    }

    /** Records the completion. Within a batch. */
    void done() throws StorageException {
        if (keepWhenDone) {
            writer.putState(name, HashTarget.DONE);
        } else {
            writer.removeState(name);
        }
    }
}
