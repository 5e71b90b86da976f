package dev.weir.storage.replication;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.checkpoint.CheckpointBuild;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.log.CopiedLog;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
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
 * answering. The next start puts it in place ({@link CopyPlacement}).
 */
public final class FreshCopy {
    private static final Logger LOG = LoggerFactory.getLogger(FreshCopy.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A copy that removes more hashes than this, and more than this part of all, waits for a person. */
    private static final long MASS = 1_000;
    private static final long MASS_SHARE = 10;

    private final Path fresh;
    private final InstantSource clock;
    private final AtomicLong done = new AtomicLong();
    private volatile @Nullable CheckpointReader reader;

    /**
     * Prepares a copy.
     *
     * @param data the folder of a storage, which may be running
     */
    public FreshCopy(Path data, InstantSource clock) {
        this.fresh = data.resolve(DataFolder.FRESH);
        this.clock = clock;
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
     * What a copy is to replace.
     *
     * @param storage the number of the storage
     * @param end the end of its log, which takes no updates until the copy is in place
     * @param hashes the number of its hashes
     * @param ground why a copy may replace it
     * @param extra the number of its updates that the leader lacks; -1 if unknown
     * @param leader the leader that gave the ground
     */
    record Target(long storage, UpdateLog.Tip end, long hashes, Follower.Ground ground, long extra,
            Follower.Place leader) {}

    /** Asks the leader again, when the copy is there and before it counts as complete. */
    @FunctionalInterface
    interface Confirmation {
        /** Returns if the ground still holds, and throws otherwise. */
        void await() throws StorageException, InterruptedException;
    }

    /** The leader has so many hashes fewer than this node that a person must look first. */
    static final class MassRemovalException extends StorageException {
        private static final long serialVersionUID = 1L;

        MassRemovalException(String message) {
            super(message);
        }
    }

    /**
     * Copies a checkpoint of the leader.
     *
     * @param node the number of this process
     * @return the end of the checkpoint
     * @throws MassRemovalException if the copy would remove too many hashes, unless an operator said so
     * @throws StorageException if the leader gives none, takes its word back, or it cannot be written; the next start
     *             does not use it then
     */
    UpdateLog.Tip make(Transport transport, long node, Target target, Confirmation confirmation)
            throws StorageException, InterruptedException {
        long begun = System.nanoTime();
        try (CheckpointReader open = CheckpointReader.open(transport, node, PAUSE)) {
            reader = open;
            refuseOtherLeader(open, target);
            refuseMassRemoval(open, target);
            delete(fresh);
            OwnerOnly.createFolders(fresh);
            UpdateLog.Tip end = open.end();
            long storage = new SecureRandom().nextLong();
            Path updates = fresh.resolve(DataFolder.UPDATES);
            OwnerOnly.createFolders(updates);
            try (CopiedLog log = CopiedLog.begin(FolderDisk.of(updates), LogLimits.DEFAULT, storage, open.start(), end,
                    clock)) {
                open.recent(log::add);
                log.finish();
            }
            TransferReport report;
            try (HashTarget store = new StoreBuilder(fresh.resolve(DataFolder.STORE), storage, end.revision())) {
                report = new Transfer(open.source(), store, Merge.KEEP, Expiry.NONE, true).run(new Counting());
            }
            FolderSync.force(fresh);
            confirmation.await();
            new CopyNote(target.storage(), target.end(), storage, end, open.storage(), target.ground(),
                    target.extra(), clock.millis()).write(new StateFiles(fresh, clock));
            LOG.info("copied {} hashes with update {} from the leader: {} MiB in {} s", report.read(), end.revision(),
                    open.received() >> 20, Duration.ofNanos(System.nanoTime() - begun).toSeconds());
            return end;
        } catch (IOException e) {
            throw new StorageException("the copy of the leader cannot be written to " + fresh + ": " + Reason.of(e),
                    e);
        } finally {
            reader = null;
        }
    }

    /** The ground may be older than the copy. */
    private static void refuseOtherLeader(CheckpointReader open, Target target) throws StorageException {
        if (target.ground() == Follower.Ground.EMPTY) {
            return;
        }
        if (open.storage() != target.leader().storage()) {
            throw new StorageException("the copy is not of the leader that this node asked, but of another storage");
        }
        if (target.ground() == Follower.Ground.PROVEN && open.end().revision() < target.end().revision()) {
            throw new StorageException("the copy of the leader ends with update " + open.end().revision()
                    + ", and this node with " + target.end().revision()
                    + ", which the leader had: an older copy seems to be in the place of its folder");
        }
    }

    private static void refuseMassRemoval(CheckpointReader open, Target target) throws MassRemovalException {
        long removed = open.hashes() < 0 ? 0 : target.hashes() - open.hashes();
        boolean massive = removed > MASS && removed > target.hashes() / MASS_SHARE;
        if (massive && target.ground() != Follower.Ground.DISCARD) {
            throw new MassRemovalException("a copy of the leader would remove at least " + removed + " of the "
                    + target.hashes() + " hashes of this node: the leader has about " + open.hashes());
        }
    }

    /** A store that is being filled. */
    private static final class StoreBuilder implements HashTarget {
        private final Path folder;
        private final CheckpointBuild build;

        StoreBuilder(Path folder, long storage, long revision) throws StorageException {
            this.folder = folder;
            try {
                OwnerOnly.createFolders(folder);
            } catch (IOException e) {
                throw new StorageException("cannot create " + folder + ": " + Reason.of(e), e);
            }
            this.build = CheckpointBuild.open(FolderDisk.of(folder), CheckpointSettings.DEFAULT, storage, revision,
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

    /** Deletes a folder with its content, if it exists. */
    static void delete(Path folder) throws IOException {
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
