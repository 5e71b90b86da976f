package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.store.StoreSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The building of a mirror from a store, whose storage may be running. */
public final class MirrorBuild {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorBuild.class);

    private MirrorBuild() {}

    /**
     * Builds a mirror. A running storage finds it within seconds if it was started with this mirror and lacks it.
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
        return run(data, mirror, clock, () -> false, progress);
    }

    /** Builds a mirror and puts it in the place of the one that is there, for the storage that uses the folder. */
    static void replace(Path data, Path mirror, InstantSource clock, BooleanSupplier stopped) throws StorageException {
        run(data, mirror, clock, stopped, new Transfer.Progress() {
            @Override
            public void preparing(long done) {
                // A store needs no preparation.
            }

            @Override
            public void moving(long done, long total) {
                LOG.debug("building {}: {} of {} hashes", mirror, done, total);
            }

            @Override
            public void finishing() {
                LOG.debug("building the index of {}", mirror);
            }
        });
    }

    private static TransferReport run(Path data, Path mirror, InstantSource clock, BooleanSupplier stopped,
            Transfer.Progress progress) throws StorageException {
        try (StoreSource source = StoreSource.open(data);
                MirrorTarget target = MirrorTarget.create(mirror, source.storageId(), source.revision(), clock,
                        stopped)) {
            return new Transfer(source, target, Merge.KEEP, Expiry.NONE, true).run(progress);
        }
    }
}
