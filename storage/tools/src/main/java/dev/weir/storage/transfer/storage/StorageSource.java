package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.storage.DataFolder;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogDamagedException;
import dev.weir.storage.log.LogHistory;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.maintenance.StoppedStorage;
import dev.weir.storage.transfer.Flags;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.OverlaySource;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of a data folder with a store, also while a storage runs on it: those of the last checkpoint, which are
 * streamed from disk, and the updates of the log that the checkpoint lacks. The updates are in memory with the hashes
 * that they change, so their number is limited. If there are more and the storage does not run, a checkpoint is written
 * first.
 *
 * <p>Each hash of a checkpoint names the last update that it has, because updates go on while a checkpoint is written.
 * So the source keeps back a hash with later updates until it has read everything: another record of the same hash may
 * follow.
 */
public final class StorageSource implements HashSource {
    /** The maximum number of updates in memory: about 300 MB with complete signatures and the hashes they change. */
    private static final int PENDING_LIMIT = 500_000;

    /** Above all positions in a checkpoint. Hashes with later updates follow from here on. */
    private static final long CHANGED = 1L << 40;

    private final Path data;
    private final CheckpointView view;
    private final Map<Digest, List<LoggedUpdate>> pending;
    private final long revision;
    private final long fingerprint;

    private StorageSource(Path data, CheckpointView view, List<LoggedUpdate> updates) {
        this.data = data;
        this.view = view;
        this.pending = new LinkedHashMap<>();
        for (LoggedUpdate update : updates) {
            pending.computeIfAbsent(update.update().digest(), digest -> new ArrayList<>(1)).add(update);
        }
        this.revision = updates.isEmpty() ? view.revision() : updates.getLast().revision();
        this.fingerprint = mix(mix(mix(0, view.storageId()), view.number()), revision);
    }

    private static long mix(long print, long next) {
        long mixed = (print ^ next) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 32;
    }

    /**
     * Opens a folder for reading.
     *
     * @throws StorageException if its store or its log cannot be read or is damaged; if the storage runs and its last
     *         checkpoint is far behind its log
     */
    public static StorageSource open(Path data) throws StorageException {
        return open(data, PENDING_LIMIT);
    }

    static StorageSource open(Path data, int limit) throws StorageException {
        StorageSource source = tryOpen(data, limit);
        if (source == null) {
            writeCheckpoint(data, limit);
            source = tryOpen(data, limit);
        }
        if (source == null) {
            throw new StorageException(
                    "a storage was started in " + data + " meanwhile and receives many updates; try again");
        }
        return source;
    }

    private static void writeCheckpoint(Path data, int limit) throws StorageException {
        try {
            StoppedStorage.bringUp(data, InstantSource.system());
        } catch (StorageException e) {
            String message = "the last checkpoint of the store is more than " + limit + " updates behind the update "
                    + "log, and another one cannot be written from here: " + e.getMessage()
                    + "; if the storage runs, weir control fuzzysync writes it";
            throw e instanceof FolderInUseException used
                    ? new FolderInUseException(message, used)
                    : new StorageException(message, e);
        }
    }

    /** Returns null if more updates are pending. */
    private static @Nullable StorageSource tryOpen(Path data, int limit) throws StorageException {
        // The store comes first: while it is open, the storage releases nothing of the log, except in need.
        CheckpointView view = CheckpointView.open(data.resolve(DataFolder.STORE));
        try (LogHistory log = LogHistory.open(data.resolve(DataFolder.UPDATES), view.storageId(),
                LogEndFile.readOnly(data, view.storageId()))) {
            List<LoggedUpdate> pending = pending(log, view, limit);
            if (pending.size() > limit) {
                view.close();
                return null;
            }
            return new StorageSource(data, view, pending);
        } catch (Throwable e) {
            view.close();
            throw e;
        }
    }

    /** Returns the pending updates, at most one more than the limit. */
    private static List<LoggedUpdate> pending(LogHistory log, CheckpointView view, int limit) throws StorageException {
        List<LoggedUpdate> pending = new ArrayList<>();
        long[] last = {view.revision()};
        List<LogDamage> damages = log.read(view.revision(), logged -> {
            last[0] = logged.revision();
            if (pending.size() <= limit) {
                pending.add(logged);
            }
        });
        if (!damages.isEmpty()) {
            view.checkCurrent();
            throw new LogDamagedException(damages);
        }
        if (last[0] < view.last()) {
            throw new StorageException("the update log ends with update " + last[0] + ", and the store has updates up "
                    + "to " + view.last() + ": start the storage once, which writes another checkpoint");
        }
        return pending;
    }

    /** Returns the number of the storage. */
    public long storageId() {
        return view.storageId();
    }

    /** Returns the last update that the hashes have. */
    public long revision() {
        return revision;
    }

    /** Returns the number of the checkpoint. */
    public long number() {
        return view.number();
    }

    @Override
    public String name() {
        return data.resolve(DataFolder.STORE).toString();
    }

    @Override
    public long remaining(long after) {
        return after < CHANGED ? view.count() + pending.size() : Math.max(0, CHANGED + pending.size() - after);
    }

    @Override
    public long fingerprint() {
        return fingerprint;
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        Pass pass = new Pass(after, sink, omissions);
        // Always everything, because any hash may have later updates.
        view.hashes(pass);
        pass.finish();
    }

    /** A hash with later updates. */
    private record Held(StoredHash hash, long born, long last) {}

    private final class Pass implements CheckpointView.Receiver {
        private final long after;
        private final Sink sink;
        private final Omissions omissions;
        private final Map<Digest, Held> held = new LinkedHashMap<>();

        Pass(long after, Sink sink, Omissions omissions) {
            this.after = after;
            this.sink = sink;
            this.omissions = omissions;
        }

        @Override
        public void hash(long position, StoredHash hash, long born, long last) throws StorageException {
            if (pending.containsKey(hash.digest())) {
                held.merge(hash.digest(), new Held(hash, born, last), (a, b) -> a.born() > b.born() ? a : b);
            } else if (position > after) {
                sink.accept(position, arranged(hash));
            }
        }

        @Override
        public void damaged() {
            omissions.count(Omission.DAMAGED);
        }

        void finish() throws StorageException {
            long position = CHANGED;
            for (Map.Entry<Digest, List<LoggedUpdate>> entry : pending.entrySet()) {
                position++;
                Held known = held.remove(entry.getKey());
                long has = known == null ? view.revision() : known.last();
                StoredHash made = OverlaySource.apply(known == null ? null : arranged(known.hash()),
                        entry.getValue().stream().filter(update -> update.revision() > has)
                                .map(LoggedUpdate::update).toList());
                if (made != null && position > after) {
                    sink.accept(position, made);
                }
            }
        }
    }

    private static StoredHash arranged(StoredHash hash) {
        return hash.flags().size() == 1
                ? hash
                : new StoredHash(hash.digest(),
                        Flags.arrange(hash.flags().getFirst(), hash.flags().subList(1, hash.flags().size())),
                        hash.signature(), hash.renewed());
    }

    @Override
    public void close() throws StorageException {
        view.close();
    }
}
