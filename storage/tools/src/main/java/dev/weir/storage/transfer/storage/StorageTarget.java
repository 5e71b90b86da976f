package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.maintenance.StoppedStorage;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * The data folder of a stopped storage with a store. It holds the lock of the folder, so that no storage can start
 * meanwhile.
 *
 * <p>The hashes arrive as updates in the log, as in a running storage. The {@link ImportJournal} is on disk before each
 * batch, so a killed import resumes.
 */
public final class StorageTarget implements HashTarget {
    private final Path data;
    private final StorageEngine engine;
    private final StateFiles files;
    private final Lookup lookup = new Lookup();
    private Merge merge = Merge.MAX;
    private ImportJournal journal;
    private LoggedPart logged = new LoggedPart(merge);
    private long position;

    private StorageTarget(Path data, StorageEngine engine, StateFiles files, ImportJournal journal) {
        this.data = data;
        this.engine = engine;
        this.files = files;
        this.journal = journal;
    }

    /**
     * Locks the folder and loads its store; both are created if necessary.
     *
     * @throws StorageException if a storage uses the folder, or the store is damaged or cannot be written
     */
    public static StorageTarget open(Path data, InstantSource clock) throws StorageException {
        return open(data, EngineFolder.open(data), clock);
    }

    /**
     * Loads the store of a folder.
     *
     * @param locked belongs to the target, which closes it
     * @throws StorageException if the store is damaged or cannot be written
     */
    public static StorageTarget open(Path data, EngineFolder locked, InstantSource clock) throws StorageException {
        StorageEngine engine = StoppedStorage.start(locked, clock);
        try {
            StoppedStorage.refuseDamage(engine);
            StateFiles files = new StateFiles(data, clock);
            return new StorageTarget(data, engine, files, ImportJournal.open(files, engine.log(), Merge.MAX, 0));
        } catch (Throwable e) {
            engine.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return data.resolve(DataFolder.STORE).toString();
    }

    @Override
    public long begin(Plan plan) throws StorageException {
        merge = plan.merge();
        logged = new LoggedPart(merge);
        boolean missing = ImportJournal.isMissing(files);
        journal = ImportJournal.open(files, engine.log(), merge, plan.fingerprint());
        if (merge == Merge.ADD && !plan.restart()) {
            ImportMarks marks = ImportMarks.read(data.resolve(DataFolder.UPDATES), engine.storageId(),
                    journal.name());
            if (marks.state() == ImportMarks.State.DONE) {
                journal.done();
                position = DONE;
                return position;
            }
            boolean elsewhere = LeadersPast.isPossible(files, engine.log());
            if (missing && marks.any() && !elsewhere) {
                journal.missing();
            }
            position = journal.begin(false);
            journal.requireKnown(marks, elsewhere);
        } else {
            position = journal.begin(plan.restart());
        }
        if (merge == Merge.ADD && position != DONE && journal.interrupted() == null) {
            send(ImportMarks.begun(journal.name()));
        }
        ImportJournal.Entry batch = journal.interrupted();
        if (batch != null && position != DONE && merge != Merge.MAX
                && batch.mark().revision() < engine.stats().revision()) {
            logged = LoggedPart.read(data.resolve(DataFolder.UPDATES), engine.storageId(), batch, merge);
        }
        return position;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        if (logged.isEmpty()) {
            journal.put(position);
        }
        Map<Digest, StoredHash> changed = new HashMap<>();
        Sending sending = new Sending(engine);
        long added = 0;
        long merged = 0;
        for (Item item : items) {
            StoredHash there = changed.get(item.hash().digest());
            if (there == null) {
                there = KnownHashes.hash(item.hash().digest(), engine.hashes().known(item.hash().digest(), lookup));
            }
            StoredHash result = result(there, KnownHashes.inRange(item.hash()), omissions);
            if (result == null || result.equals(there)) {
                continue;
            }
            if (there == null) {
                added++;
            } else {
                merged++;
            }
            changed.put(result.digest(), result);
            for (Update update : updates(there, result)) {
                sending.send(update);
            }
        }
        sending.finish();
        position = items.getLast().position();
        return new Written(added, merged, items.size() - added - merged);
    }

    /** Returns the result of merging; null if the storage has deleted the hash since an interruption. */
    private @Nullable StoredHash result(@Nullable StoredHash there, StoredHash hash, Omissions omissions) {
        StoredHash arriving = logged.withoutAdded(hash);
        if (there == null) {
            return arriving.equals(hash) ? KnownHashes.bounded(hash, omissions) : null;
        }
        StoredHash result = KnownHashes.bounded(merge.merge(there, arriving), omissions);
        return logged.takeMark(hash.digest()) && hash.renewed() > result.renewed()
                ? new StoredHash(result.digest(), result.flags(), result.signature(), hash.renewed())
                : result;
    }

    private List<Update> updates(@Nullable StoredHash there, StoredHash result) {
        List<Update> updates = HashUpdates.between(there, result);
        if (there != null || merge != Merge.KEEP || result.renewed() == 0) {
            return updates;
        }
        List<Update> marked = new ArrayList<>(updates);
        marked.addFirst(LoggedPart.mark(result.digest()));
        return marked;
    }

    private void send(Update update) throws StorageException {
        Sending sending = new Sending(engine);
        sending.send(update);
        sending.finish();
    }

    @Override
    public void finish() throws StorageException {
        if (merge == Merge.ADD && position != DONE) {
            send(ImportMarks.done(journal.name()));
        }
        StoppedStorage.bringUp(engine);
        journal.done();
    }

    @Override
    public void close() {
        engine.close();
    }
}
