package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.store.StoreSource;

/** The building of a mirror from a store, whose storage may be running. */
public final class MirrorBuild {
    private MirrorBuild() {}

    /**
     * Builds a mirror. A running storage finds it within seconds if it was started with this mirror and the mirror
     * could not follow.
     *
     * @param data the folder of the storage
     * @param mirror the database, which must not exist
     * @throws StorageException if it exists, the store cannot be read, or the database cannot be written
     */
    public static TransferReport run(Path data, Path mirror, InstantSource clock, Transfer.Progress progress)
            throws StorageException {
        if (Files.exists(mirror)) {
            throw new StorageException(mirror + " exists. If it is the mirror that cannot follow, delete it first");
        }
        try (StoreSource source = StoreSource.open(data);
                MirrorTarget target = new MirrorTarget(mirror, source.storageId(), source.revision(), clock)) {
            return new Transfer(source, target, Merge.KEEP, Expiry.NONE, true).run(progress);
        }
    }
}
