package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.Update;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.OverlaySource;

/** The hashes of a data folder, which a storage may be running on. */
public final class FolderSource {
    private FolderSource() {}

    /**
     * Opens the database of a folder for reading.
     *
     * @param database name of the file in the folder
     * @param pending updates that are acknowledged and not yet in the database, in the order in which they arrived
     */
    public static HashSource open(Path data, String database, List<Update> pending) throws StorageException {
        HashSource source = SqliteSource.open(data.resolve(database));
        return pending.isEmpty() ? source : new OverlaySource(source, pending);
    }
}
