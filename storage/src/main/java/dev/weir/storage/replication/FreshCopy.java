package dev.weir.storage.replication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.store.StoreBuild;
import dev.weir.storage.store.StoreSettings;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.Transfer;
import dev.weir.storage.transfer.TransferReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The new content of a follower's data folder, made from a checkpoint of its leader beside the old one, which goes on
 * answering. The next start puts it in place. The old update log is kept aside, because it may have updates that no
 * other node has.
 */
public final class FreshCopy {
    private static final Logger LOG = LoggerFactory.getLogger(FreshCopy.class);
    private static final String COMPLETE = "complete";
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path fresh;
    private final AtomicLong done = new AtomicLong();
    private volatile @Nullable CheckpointReader reader;

    /**
     * Prepares a copy.
     *
     * @param data the folder of a storage, which may be running
     */
    public FreshCopy(Path data) {
        this.fresh = data.resolve(DataFolder.FRESH);
    }

    /** Returns the number of hashes copied so far. Any thread may ask. */
    public long done() {
        return done.get();
    }

    /** Returns about how many hashes there are to copy; -1 if unknown. Any thread may ask. */
    public long hashes() {
        CheckpointReader open = reader;
        return open == null ? -1 : open.hashes();
    }

    /**
     * Copies a checkpoint of the leader.
     *
     * @param node the number of this process
     * @return the end of the checkpoint
     * @throws StorageException if the leader gives none, or it cannot be written; the folder is unchanged then
     */
    public UpdateLog.Tip make(Transport transport, long node) throws StorageException {
        long begun = System.nanoTime();
        try (CheckpointReader open = CheckpointReader.open(transport, node, PAUSE)) {
            reader = open;
            delete(fresh);
            OwnerOnly.createFolders(fresh);
            UpdateLog.Tip end = open.end();
            long storage = new SecureRandom().nextLong();
            TransferReport report;
            try (HashTarget target = new StoreBuilder(fresh.resolve(DataFolder.STORE), storage, end.revision())) {
                report = new Transfer(open.source(), target, Merge.KEEP, Expiry.NONE, true).run(new Counting());
            }
            Path updates = fresh.resolve(DataFolder.UPDATES);
            OwnerOnly.createFolders(updates);
            UpdateLog.prepare(FolderDisk.of(updates), end);
            OwnerOnly.create(fresh.resolve(COMPLETE));
            FolderSync.force(fresh);
            LOG.info("copied {} hashes with update {} from the leader: {} MiB in {} s", report.read(), end.revision(),
                    open.received() >> 20, Duration.ofNanos(System.nanoTime() - begun).toSeconds());
            return end;
        } catch (IOException e) {
            throw new StorageException("the copy of the leader cannot be written to " + fresh + ": " + e.getMessage(),
                    e);
        } finally {
            reader = null;
        }
    }

    /** A store that is being filled. */
    private static final class StoreBuilder implements HashTarget {
        private final Path folder;
        private final StoreBuild build;

        StoreBuilder(Path folder, long storage, long revision) throws StorageException {
            this.folder = folder;
            try {
                OwnerOnly.createFolders(folder);
            } catch (IOException e) {
                throw new StorageException("cannot create " + folder + ": " + e.getMessage(), e);
            }
            this.build = StoreBuild.open(FolderDisk.of(folder), StoreSettings.DEFAULT, storage, revision,
                    (_, _) -> {});
        }

        @Override
        public String name() {
            return folder.toString();
        }

        @Override
        public long begin(Plan plan) {
            return HashSource.START;
        }

        @Override
        public Written write(List<Item> items, Omissions omissions) throws StorageException {
            for (Item item : items) {
                StoredHash bounded = item.hash().bounded();
                build.add(bounded);
            }
            return new Written(items.size(), 0, 0);
        }

        @Override
        public void finish() throws StorageException {
            build.checkpoint();
        }

        @Override
        public void close() {
            build.close();
        }
    }

    private final class Counting implements Transfer.Progress {
        @Override
        public void preparing(long ready) {
            // A checkpoint needs no preparation.
        }

        @Override
        public void moving(long moved, long total) {
            done.set(moved);
        }

        @Override
        public void finishing() {
            LOG.debug("all hashes of the checkpoint are here");
        }
    }

    /**
     * Puts a complete copy in place of the old content of a folder that no storage uses, and removes an incomplete one.
     * An interruption is harmless: the next call goes on.
     *
     * @return whether there was a complete copy
     */
    public static boolean putInPlace(Path data, InstantSource clock) throws StorageException {
        Path fresh = data.resolve(DataFolder.FRESH);
        if (!Files.exists(fresh)) {
            return false;
        }
        try (DataFolder locked = DataFolder.openAny(data)) {
            if (!Files.exists(fresh.resolve(COMPLETE))) {
                delete(fresh);
                return false;
            }
            Path updates = fresh.resolve(DataFolder.UPDATES);
            if (Files.exists(updates)) {
                keepAside(locked.file(DataFolder.UPDATES), clock);
                replaceHashes(locked, fresh);
                Files.move(updates, locked.file(DataFolder.UPDATES), StandardCopyOption.ATOMIC_MOVE);
                FolderSync.force(data);
            }
            delete(fresh);
            return true;
        } catch (IOException e) {
            throw new StorageException("the copy of the leader cannot be put in place in " + data + ": "
                    + e.getMessage(), e);
        }
    }

    private static void keepAside(Path updates, InstantSource clock) throws IOException {
        if (!Files.exists(updates)) {
            return;
        }
        Path aside = updates.resolveSibling(DataFolder.ASIDE);
        OwnerOnly.createFolders(aside);
        Path kept = aside.resolve(DataFolder.UPDATES + "-" + clock.millis());
        Files.move(updates, kept, StandardCopyOption.ATOMIC_MOVE);
        FolderSync.force(aside);
        LOG.info("the old update log is in {}; delete it when you do not need it", kept);
    }

    private static void replaceHashes(DataFolder data, Path fresh) throws IOException, StorageException {
        Path next = fresh.resolve(DataFolder.STORE);
        if (Files.exists(next)) {
            delete(data.file(DataFolder.STORE));
            // The database of the old content goes, too: it is written again from the store.
            FolderStore.backendAt(data.database()).delete();
            for (String file : List.of(DataFolder.INDEX, DataFolder.MIRRORED)) {
                Files.deleteIfExists(data.file(file));
            }
            Files.move(next, data.file(DataFolder.STORE), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
