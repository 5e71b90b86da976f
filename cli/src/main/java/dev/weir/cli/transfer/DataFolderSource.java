package dev.weir.cli.transfer;

import java.nio.file.Path;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.sqlite.FolderSource;
import dev.weir.storage.transfer.storage.StorageSource;

/** The choice of a source for a data folder, which has its hashes in a database or in a store. */
final class DataFolderSource {
    private DataFolderSource() {}

    /**
     * Opens a folder, which a storage may be using.
     *
     * @throws StorageException if it has no storage, or the storage cannot be read
     */
    static HashSource open(Path folder) throws StorageException {
        return DataFolder.hasStore(folder) ? StorageSource.open(folder) : FolderSource.open(folder);
    }
}
