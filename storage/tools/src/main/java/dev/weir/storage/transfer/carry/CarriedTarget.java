package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.CheckpointReplacement;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.checkpoint.CheckpointBuild;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * A new store of a data folder. It is built under another name, so that a folder with a {@code store} has all of it.
 */
final class CarriedTarget implements HashTarget {
    private static final String DRAFT = DataFolder.STORE + ".unfinished";

    private final DataFolder folder;
    private final Path draft;
    private final long storageId;
    private final long revision;
    private final long logged;
    private final int checkpointHashes;
    private @Nullable CheckpointBuild build;
    private long fingerprint;
    private long position;
    private int unsaved;

    /**
     * Creates the target.
     *
     * @param folder the folder, locked by the caller
     * @param revision the last update of the log that the source has
     * @param logged the log has every update after {@code revision} up to this one; 0 if that is unknown
     * @param checkpointHashes number of hashes between two checkpoints, the most that a crash makes to be read again
     */
    CarriedTarget(DataFolder folder, long storageId, long revision, long logged, int checkpointHashes) {
        this.folder = folder;
        this.draft = folder.file(DRAFT);
        this.storageId = storageId;
        this.revision = revision;
        this.logged = logged;
        this.checkpointHashes = checkpointHashes;
    }

    @Override
    public String name() {
        return folder.file(DataFolder.STORE).toString();
    }

    @Override
    public long begin(Plan plan) throws StorageException {
        fingerprint = plan.fingerprint();
        CarriedPosition known = CarriedPosition.read(draft, storageId);
        if (known == null || !known.isOf(fingerprint, storageId, revision)) {
            discard();
            known = new CarriedPosition(fingerprint, storageId, revision, HashSource.START);
        }
        folder.folder(DRAFT);
        build = CheckpointBuild.open(FolderDisk.of(draft), CheckpointSettings.DEFAULT, storageId, revision,
                (_, _) -> {});
        position = known.position();
        return position;
    }

    private CheckpointBuild build() {
        CheckpointBuild open = build;
        if (open == null) {
            throw new IllegalStateException("begin was not called");
        }
        return open;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        long before = build().size();
        for (Item item : items) {
            StoredHash bounded = item.hash().bounded();
            omissions.add(Omission.TOO_MANY_FLAGS, item.hash().flags().size() - bounded.flags().size());
            build().add(bounded);
        }
        position = items.getLast().position();
        unsaved += items.size();
        if (unsaved >= checkpointHashes) {
            build().checkpoint();
            // Afterwards: an old position only costs time, because the store ignores hashes that it has.
            new CarriedPosition(fingerprint, storageId, revision, position).write(draft);
            unsaved = 0;
        }
        long added = build().size() - before;
        return new Written(added, 0, items.size() - added);
    }

    @Override
    public void finish() throws StorageException {
        build().checkpoint();
        close();
        try {
            CarriedPosition.delete(draft);
        } catch (IOException e) {
            throw new StorageException("the store cannot be moved to " + name() + ": " + Reason.of(e), e);
        }
        // Before the store has its name: without the note, a start would miss a log.
        LogEndFile.noteWithoutLog(folder.file(""), storageId, revision);
        new CheckpointReplacement(folder).replace(DRAFT, logged);
    }

    private void discard() throws StorageException {
        if (!Files.exists(draft)) {
            return;
        }
        try (Stream<Path> files = Files.walk(draft)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new StorageException(draft + " cannot be deleted: " + Reason.of(e), e);
        }
    }

    @Override
    public void close() {
        CheckpointBuild open = build;
        build = null;
        if (open != null) {
            open.close();
        }
    }
}
