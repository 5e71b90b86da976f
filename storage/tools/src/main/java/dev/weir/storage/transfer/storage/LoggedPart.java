package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.transfer.Merge;

/**
 * The part of an interrupted batch that is in the log. Repeating the batch must not add it again.
 *
 * <p>A {@code keep} cannot tell a hash that the batch created from one that was there before, so that it would leave
 * out a renewal that the interruption cut off. Therefore a mark precedes the writes of each such hash: a renewal at
 * time 0, which changes nothing.
 */
final class LoggedPart {
    private final Merge merge;
    private final Map<Place, Integer> written = new HashMap<>();
    private final Set<Digest> marked = new HashSet<>();

    private record Place(Digest digest, int flag) {}

    /** Nothing. */
    LoggedPart(Merge merge) {
        this.merge = merge;
    }

    /** Returns the mark of a hash that a batch creates. */
    static Update mark(Digest digest) {
        return new Update.Refresh(digest, 0);
    }

    /**
     * Reads the updates of imports since the beginning of a batch. Other updates do not count: an undo in between, for
     * example, removes what the batch added, and that stays removed.
     *
     * @throws StorageException if the log cannot be read, or no longer has all of them
     */
    static LoggedPart read(Path log, long storageId, ImportJournal.Entry batch, Merge merge) throws StorageException {
        long after = batch.mark().revision();
        LoggedPart part = new LoggedPart(merge);
        try (LogHistory history = LogHistory.open(log, storageId, LogEndNote.NONE)) {
            if (history.first() > after + 1) {
                throw new StorageException("the update log no longer tells which part of an interrupted import was "
                        + "done, because it begins with update " + history.first() + " instead of " + (after + 1)
                        + "; use --restart to give the import up (what it added stays added)");
            }
            List<LogDamage> damages = history.read(after, logged -> {
                // An earlier version wrote an import as the storage itself.
                if (logged.origin().equals(UpdateOrigin.IMPORT)
                        || (batch.old() && logged.origin().equals(UpdateOrigin.STORAGE))) {
                    part.add(logged.update());
                }
            });
            if (!damages.isEmpty()) {
                throw new LogDamagedException(damages);
            }
        }
        return part;
    }

    private void add(Update update) {
        if (merge == Merge.ADD && update instanceof Update.Write write) {
            written.merge(new Place(write.digest(), write.flag()), 1, Integer::sum);
        } else if (merge == Merge.KEEP && update instanceof Update.Refresh refresh && refresh.time() == 0) {
            marked.add(refresh.digest());
        }
    }

    boolean isEmpty() {
        return written.isEmpty() && marked.isEmpty();
    }

    /** Returns whether the batch created a hash, whose renewal may be missing. */
    boolean takeMark(Digest digest) {
        return marked.remove(digest);
    }

    /** Returns an arriving hash in which the values that were added have become 0. */
    StoredHash withoutAdded(StoredHash arriving) {
        List<FlagValue> flags = new ArrayList<>();
        boolean taken = false;
        for (FlagValue flag : arriving.flags()) {
            boolean isTaken = take(new Place(arriving.digest(), flag.flag()));
            flags.add(isTaken ? new FlagValue(flag.flag(), 0, flag.time()) : flag);
            taken |= isTaken;
        }
        return taken
                ? new StoredHash(arriving.digest(), flags, arriving.signature(), arriving.renewed())
                : arriving;
    }

    private boolean take(Place place) {
        boolean taken = written.containsKey(place);
        if (taken) {
            written.computeIfPresent(place, (_, times) -> times == 1 ? null : times - 1);
        }
        return taken;
    }
}
