package dev.weir.storage.transfer.compact;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.DiskSpace;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.CheckpointReplacement;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointBuild;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.maintenance.StoppedStorage;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.storage.StorageSource;

/**
 * A store that was written again.
 *
 * @param hashes number of hashes
 * @param before bytes of the store before
 * @param after bytes of the store now
 */
public record Compaction(long hashes, long before, long after) {
    /** About the size of a hash with a signature in a store. */
    private static final int HASH_BYTES = 360;

    private static final int REPORT = 10_000;

    /**
     * Writes every hash of a stopped storage to a new store, which then replaces the old one. The update log stays. A
     * crash leaves the old store or the new one.
     *
     * @throws StorageException if a storage uses the folder, the store is damaged, or there is no room for the new one
     */
    public static Compaction run(Path data, InstantSource clock, StartProgress progress) throws StorageException {
        return run(data, clock, progress, folder -> {
            try {
                return DiskSpace.usable(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    static Compaction run(Path data, InstantSource clock, StartProgress progress, ToLongFunction<Path> usable)
            throws StorageException {
        // Nothing to apply while the folder is locked.
        StoppedStorage.bringUp(data, clock);
        try (DataFolder locked = DataFolder.openStore(data); StorageSource source = StorageSource.open(data)) {
            requireRoom(data, source.remaining(HashSource.START), usable);
            long before = bytes(locked.file(DataFolder.STORE));
            CheckpointReplacement replacement = new CheckpointReplacement(locked);
            long hashes;
            try {
                hashes = write(source, replacement.draft(), progress);
            } catch (Throwable e) {
                replacement.discard();
                throw e;
            }
            replacement.replace();
            return new Compaction(hashes, before, bytes(locked.file(DataFolder.STORE)));
        }
    }

    private static void requireRoom(Path data, long hashes, ToLongFunction<Path> usable) throws StorageException {
        long free;
        try {
            free = usable.applyAsLong(data);
        } catch (UncheckedIOException e) {
            throw new StorageException("the free space of the disk is unknown: " + Reason.of(e), e);
        }
        long needed = hashes * HASH_BYTES + LogLimits.DEFAULT.reserveBytes();
        if (free < needed) {
            throw new StorageException("the new store with " + hashes + " hashes needs " + (needed >> 20)
                    + " MiB beside the old one, and the disk has " + (free >> 20) + " MiB left");
        }
    }

    private static long write(StorageSource source, Path draft, StartProgress progress) throws StorageException {
        try {
            OwnerOnly.createFolders(draft);
        } catch (IOException e) {
            throw new StorageException(draft + " cannot be made: " + Reason.of(e), e);
        }
        Omissions omissions = new Omissions();
        long expected = source.remaining(HashSource.START);
        long[] done = {0};
        try (CheckpointBuild build = CheckpointBuild.open(FolderDisk.of(draft), CheckpointSettings.DEFAULT,
                source.storageId(),
                source.revision(), (_, _) -> {})) {
            build.numberAfter(source.number());
            source.read(HashSource.START, (_, hash) -> {
                build.add(hash);
                if (++done[0] % REPORT == 0) {
                    progress.loading(done[0], expected);
                }
            }, omissions);
            Map<Omission, Long> omitted = omissions.snapshot();
            if (!omitted.isEmpty()) {
                throw new StorageException("the store is damaged: " + omitted + "; weir repair removes what is lost");
            }
            build.checkpoint();
            return build.size();
        }
    }

    private static long bytes(Path store) throws StorageException {
        try (Stream<Path> files = Files.list(store)) {
            long sum = 0;
            for (Path file : (Iterable<Path>) files::iterator) {
                sum += Files.size(file);
            }
            return sum;
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(store + " cannot be read: " + Reason.of(e), e);
        }
    }
}
