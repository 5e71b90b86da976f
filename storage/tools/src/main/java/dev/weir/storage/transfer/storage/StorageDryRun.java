package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.util.List;

import dev.weir.model.KeyedHash;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;

/**
 * A target that counts what an import into a store would do, and writes nothing. A storage may be running on the store.
 * It loads the hashes of the store into memory, as a start does. A digest that occurs twice in the source counts as new
 * twice.
 */
public final class StorageDryRun implements HashTarget {
    private final Path data;
    private final HashIndex index;
    private final Lookup lookup = new Lookup();
    private Merge merge = Merge.MAX;

    private StorageDryRun(Path data, HashIndex index) {
        this.data = data;
        this.index = index;
    }

    /**
     * Loads the store of a folder. A missing one counts as empty.
     *
     * @throws StorageException if it cannot be read or does not fit into memory
     */
    public static StorageDryRun open(Path data) throws StorageException {
        HashIndex index = new HashIndex(KeyedHash.random());
        if (DataFolder.hasStore(data)) {
            try (StorageSource source = StorageSource.open(data)) {
                source.read(HashSource.START, (_, hash) -> index.load(hash), new Omissions());
            } catch (IndexFullException e) {
                throw new StorageException("the hashes of the store do not fit into memory: " + e.getMessage(), e);
            }
        }
        return new StorageDryRun(data, index);
    }

    @Override
    public String name() {
        return data.resolve(DataFolder.STORE).toString();
    }

    @Override
    public long begin(Plan plan) {
        merge = plan.merge();
        return HashSource.START;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) {
        long added = 0;
        long merged = 0;
        for (Item item : items) {
            StoredHash there = KnownHashes.hash(item.hash().digest(), index.known(item.hash().digest(), lookup));
            StoredHash arriving = KnownHashes.inRange(item.hash());
            if (there == null) {
                KnownHashes.bounded(arriving, omissions);
                added++;
            } else if (!KnownHashes.bounded(merge.merge(there, arriving), omissions).equals(there)) {
                merged++;
            }
        }
        return new Written(added, merged, items.size() - added - merged);
    }

    @Override
    public void finish() {
        // Nothing was begun.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
