package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;

import dev.weir.model.KeyedHash;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.CheckpointUnwritableException;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.log.Disk;

/**
 * The filling of a new store with hashes from another place than the update log. It can be interrupted: a later build
 * continues after the last checkpoint. For one thread.
 */
public final class CheckpointBuild implements Closeable {
    private final Checkpoints store;
    private final long revision;
    private int unforced;

    private CheckpointBuild(Checkpoints store, long revision) {
        this.store = store;
        this.revision = revision;
    }

    /**
     * Begins or continues a build.
     *
     * @param disk an empty folder, or that of an interrupted build with the same number and revision
     * @param storageId the number of the storage
     * @param revision the last update of the log that the hashes have
     * @param loading receives the progress of reading an interrupted build
     * @throws StorageException if the folder cannot be used
     */
    public static CheckpointBuild open(Disk disk, CheckpointSettings settings, long storageId, long revision,
            Checkpoints.Progress loading) throws StorageException {
        try {
            if (!disk.names().contains(Manifest.NAME)) {
                Manifest.first(storageId, revision, settings.pageRecords()).write(disk);
            }
        } catch (IOException e) {
            throw unwritable(e);
        }
        Checkpoints store = Checkpoints.open(disk, settings, () -> storageId, KeyedHash::random, loading);
        if (store.storageId() != storageId || store.revision() != revision) {
            store.close();
            throw new IllegalArgumentException("the folder has revision " + store.revision() + " of storage "
                    + store.storageId());
        }
        store.recovered();
        return new CheckpointBuild(store, revision);
    }

    private static StorageException unwritable(IOException e) {
        return new StorageException("the store cannot be written: " + e.getMessage(), e);
    }

    /** Gives the checkpoints numbers above this one, which another store of this storage has. */
    public void numberAfter(long number) {
        store.numberAfter(number);
    }

    /** Returns the number of hashes. */
    public long size() {
        return store.index().size();
    }

    /**
     * Adds a hash. Does nothing if its digest is there already.
     *
     * @throws StorageException if there is no memory or no disk for it
     */
    public void add(StoredHash hash) throws StorageException {
        try {
            store.index().load(hash);
            if (++unforced >= store.settings().bufferBytes() / SlotTable.SIGNED.slotBytes) {
                unforced = 0;
                store.forceSlotsIfMany();
            }
        } catch (CheckpointUnwritableException e) {
            throw new StorageException(String.valueOf(e.getMessage()), e);
        } catch (IndexFullException e) {
            throw new StorageException("the hashes do not fit into memory (" + e.getMessage() + ")", e);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /**
     * Makes everything durable.
     *
     * @throws StorageException if it cannot be written
     */
    public void checkpoint() throws StorageException {
        store.checkpoint(revision);
    }

    @Override
    public void close() {
        store.close();
    }
}
