package dev.weir.storage.folder;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointView;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.view.StorageView;

/** Views of the hashes of a data folder, which a storage may be using. */
public final class FolderView {
    private FolderView() {}

    /**
     * A view of the last checkpoint, or of the database of a folder without one.
     *
     * @throws StorageException if the folder has no storage, or it cannot be read
     */
    public static StorageView of(Path folder) throws StorageException {
        return DataFolder.hasStore(folder)
                ? CheckpointView.open(folder.resolve(DataFolder.STORE))
                : new SqliteFile(DataFolder.databaseIn(folder)).view();
    }

    /**
     * Returns the identifier of the storage of a folder; 0 without state.
     *
     * @throws StorageException as {@link #of}
     */
    public static long storageId(Path folder) throws StorageException {
        try (StorageView view = of(folder)) {
            return view.storageId();
        }
    }

    /**
     * A view that has the older part of the audit trail: of the database, if it is there and of the storage, or else of
     * the last checkpoint.
     *
     * @throws StorageException as {@link #of}
     */
    public static StorageView trail(Path folder) throws StorageException {
        Path database = DataFolder.database(folder);
        StorageView view = of(folder);
        if (!DataFolder.hasStore(folder) || !Files.exists(database)) {
            return view;
        }
        try (view) {
            StorageView mirror = new SqliteFile(database).view();
            if (mirror.hasState() && mirror.storageId() == view.storageId()) {
                return mirror;
            }
            mirror.close();
        }
        return of(folder);
    }
}
