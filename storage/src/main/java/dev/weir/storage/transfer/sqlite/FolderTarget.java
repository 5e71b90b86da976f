package dev.weir.storage.transfer.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.sqlite.HashWriter;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.maintenance.CaughtUp;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;

/**
 * The data folder of a stopped storage. It holds the lock of the folder, so that no storage can start meanwhile.
 *
 * <p>Each batch is one transaction that also records the progress of the import, so a killed import resumes. An import
 * that will at least double the database drops the index on shingles and builds it at the end.
 */
public final class FolderTarget implements HashTarget {
    private final DataFolder folder;
    private final HashWriter writer;
    private final Path file;
    private final InstantSource clock;
    private ImportState state;
    private Merge merge = Merge.MAX;
    private boolean bulk;

    private FolderTarget(DataFolder folder, Path file, HashWriter writer, InstantSource clock) {
        this.folder = folder;
        this.file = file;
        this.writer = writer;
        this.clock = clock;
        this.state = new ImportState(writer, 0, merge);
    }

    /**
     * Locks the folder and opens its database; both are created if necessary.
     *
     * @throws StorageException if a storage uses the folder or it cannot be written
     */
    public static FolderTarget open(Path data, InstantSource clock)
            throws StorageException {
        DataFolder folder = DataFolder.open(data);
        try {
            Path file = folder.database();
            if (Files.isDirectory(folder.file(DataFolder.UPDATES))) {
                // Acknowledged updates that are only in the log must be in the database before anything is merged with
                // it.
                CaughtUp.bringUp(folder, LogLimits.DEFAULT, clock);
            }
            return new FolderTarget(folder, file, HashWriter.open(file), clock);
        } catch (Throwable e) {
            folder.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public long begin(Plan plan) throws StorageException {
        merge = plan.merge();
        state = new ImportState(writer, plan.fingerprint(), merge);
        long after = state.begin(plan.restart());
        if (after != DONE) {
            breakHistory();
        }
        bulk = after != DONE && (writer.inBulk() || plan.expected() < 0 || plan.expected() >= writer.count());
        if (bulk) {
            writer.beginBulk();
        } else {
            writer.endBulk();
        }
        return after;
    }

    /** Followers must copy what no update of the log brings. */
    private void breakHistory() throws StorageException {
        Path updates = folder.file(DataFolder.UPDATES);
        if (!Files.isDirectory(updates)) {
            return;
        }
        try {
            UpdateLog.breakHistory(FolderDisk.of(updates));
        } catch (IOException e) {
            throw new StorageException(updates + " cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        return writer.batch(() -> {
            long added = 0;
            long merged = 0;
            for (Item item : items) {
                StoredHash there = writer.find(item.hash().digest());
                if (there == null) {
                    writer.insert(bounded(item.hash(), omissions));
                    added++;
                    continue;
                }
                StoredHash result = bounded(merge.merge(there, item.hash()), omissions);
                if (!result.equals(there)) {
                    writer.replace(result);
                    merged++;
                }
            }
            state.put(items.getLast().position());
            if (added + merged > 0) {
                writer.bumpSource(clock.instant().getEpochSecond());
            }
            return new Written(added, merged, items.size() - added - merged);
        });
    }

    private static StoredHash bounded(StoredHash hash, Omissions omissions) {
        StoredHash bounded = hash.bounded();
        omissions.add(Omission.TOO_MANY_FLAGS, hash.flags().size() - bounded.flags().size());
        return bounded;
    }

    @Override
    public void finish() throws StorageException {
        if (bulk) {
            writer.endBulk();
        }
        writer.batch(() -> {
            state.done();
            return true;
        });
    }

    @Override
    public void close() throws StorageException {
        try {
            writer.close();
        } finally {
            folder.close();
        }
    }
}
