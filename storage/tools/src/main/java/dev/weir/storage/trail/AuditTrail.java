package dev.weir.storage.trail;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.weir.model.Digest;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RecordFilter;
import dev.weir.storage.view.StorageView;

/**
 * The audit trail of a storage, running or stopped. The update log has all changes as far as it goes back. The database
 * that mirrors the store, if there is one in the folder, has the latest 64 changes of each stored hash and drops them
 * with the hash.
 */
public final class AuditTrail {
    private AuditTrail() {}

    /** A receiver of changes, by revision. */
    @FunctionalInterface
    public interface Target {
        /**
         * Takes a change.
         *
         * @param whole whether the change is from the log; the database records neither ports nor signatures
         */
        void take(LoggedUpdate logged, boolean whole);
    }

    /**
     * Passes the selected changes to the target, by revision.
     *
     * @throws LogDamagedException after the readable changes, if acknowledged ones are unreadable
     * @throws StorageException if there is no storage or it cannot be read
     */
    public static void read(Path folder, TrailFilter filter, Target target) throws StorageException {
        read(folder, filter.after(), (view, before, recorded) -> view.audit(filter.query(before), recorded),
                filter.ofRecords(), filter::matches, target);
    }

    /**
     * Passes all changes of some hashes to the target, those of each hash by revision.
     *
     * @throws LogDamagedException as {@link #read(Path, TrailFilter, Target)}
     * @throws StorageException as well
     */
    public static void read(Path folder, Set<Digest> digests, Target target) throws StorageException {
        if (!digests.isEmpty()) {
            long[] words = digests.stream().mapToLong(AuditTrail::firstWord).sorted().toArray();
            read(folder, TrailFilter.ALL.after(), (view, before, recorded) -> view.audit(before, digests, recorded),
                    (word, _, _) -> Arrays.binarySearch(words, word) >= 0,
                    logged -> digests.contains(logged.update().digest()), target);
        }
    }

    private static long firstWord(Digest digest) {
        long[] words = new long[Digest.WORDS];
        digest.copyTo(words, 0);
        return words[0];
    }

    /** A search in the database, which has changes of stored hashes that are no longer in the log. */
    @FunctionalInterface
    private interface Search {
        void run(StorageView view, long before, Consumer<LoggedUpdate> recorded) throws StorageException;
    }

    private static void read(Path folder, long after, Search search, RecordFilter filter,
            Predicate<LoggedUpdate> wanted, Target target) throws StorageException {
        try (StorageView view = FolderView.trail(folder);
                LogHistory history = LogHistory.open(folder.resolve(DataFolder.UPDATES), view.storageId(),
                        LogEndNote.NONE)) {
            search.run(view, history.first(), logged -> passIfWanted(wanted, logged, false, target));
            List<LogDamage> damages = history.read(after, filter,
                    logged -> passIfWanted(wanted, logged, true, target));
            if (!damages.isEmpty()) {
                throw new LogDamagedException(damages);
            }
        }
    }

    private static void passIfWanted(Predicate<LoggedUpdate> wanted, LoggedUpdate logged, boolean whole,
            Target target) {
        if (wanted.test(logged)) {
            target.take(logged, whole);
        }
    }
}
