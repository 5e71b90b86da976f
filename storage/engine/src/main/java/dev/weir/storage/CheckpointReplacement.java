package dev.weir.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replacement of the store of a folder by another one. A crash at any moment leaves the old store or the new one,
 * and the next process that locks the folder finishes the work. It verifies the stores that it finds then, because they
 * may have been there for long: one of another storage is not put in place, and one with updates that the current store
 * lacks is kept instead of deleted. The store that counts is one from which the log goes on.
 */
public final class CheckpointReplacement {
    /** A store that is being written. It never counts. */
    private static final String DRAFT = DataFolder.STORE + ".compacting";

    /** A complete store. It counts if the folder has no other one. */
    private static final String COMPLETE = DataFolder.STORE + ".compacted";

    private static final String REPLACED = DataFolder.STORE + ".replaced";

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointReplacement.class);

    private final Path folder;

    /** The replacement in a folder, which the caller has locked. */
    public CheckpointReplacement(DataFolder folder) {
        this(folder.file(""));
    }

    private CheckpointReplacement(Path folder) {
        this.folder = folder;
    }

    /** Returns whether a folder has a complete store that has yet to get its name. */
    static boolean isPending(Path folder) {
        return !Files.exists(folder.resolve(DataFolder.STORE)) && hasManifest(folder, COMPLETE);
    }

    /** Returns whether a folder has a store of this name with a checkpoint. */
    static boolean hasManifest(Path folder, String store) {
        return Files.exists(folder.resolve(store).resolve(ManifestHead.NAME));
    }

    /** Finishes a replacement that was interrupted. The caller has the lock. */
    static void finish(Path folder) throws IOException {
        new CheckpointReplacement(folder).finish(0);
    }

    private void finish(long logged) throws IOException {
        LogBounds log = LogBounds.of(folder);
        if (isPending(folder)) {
            putInPlace(log);
        }
        if (!Files.exists(folder.resolve(DataFolder.STORE)) && hasManifest(folder, REPLACED)) {
            LOG.warn("the store {} is put back, because there is no other one", folder.resolve(REPLACED));
            move(REPLACED, DataFolder.STORE);
        }
        exchange(log);
        if (!hasManifest(folder, DataFolder.STORE)) {
            return;
        }
        delete(folder.resolve(DRAFT));
        Optional<ManifestHead> current = ManifestHead.of(folder.resolve(DataFolder.STORE));
        for (String name : List.of(COMPLETE, REPLACED)) {
            Path other = folder.resolve(name);
            if (!Files.exists(other)) {
                continue;
            }
            Optional<ManifestHead> head = ManifestHead.of(other);
            boolean comparable = current.isPresent() && head.isPresent();
            boolean contained = comparable && (current.get().contains(head.get())
                    || (head.get().storageId() == current.get().storageId() && head.get().revision() <= logged));
            if (contained || isEmpty(other)) {
                delete(other);
            } else if (name.equals(REPLACED) && comparable && log.completes(current.get(), head.get())) {
                LOG.info("{} stays until the store has the updates up to {} from the log", other,
                        head.get().revision());
            } else {
                setAside(name, "the store does not have all of its updates");
            }
        }
    }

    /**
     * Gives the complete store its name, if it is of the storage that it is to replace, and the log goes on from it.
     * The start then verifies the content of the log.
     */
    private void putInPlace(LogBounds log) throws IOException {
        Optional<ManifestHead> next = ManifestHead.of(folder.resolve(COMPLETE));
        Optional<ManifestHead> replaced = ManifestHead.of(folder.resolve(REPLACED));
        if (next.isEmpty()) {
            setAside(COMPLETE, "its manifest is damaged");
        } else if (replaced.isPresent() && replaced.get().storageId() != next.get().storageId()) {
            setAside(COMPLETE, "it is of another storage than the one that it was to replace");
        } else if (replaced.isPresent() && !log.goesOnFrom(next.get()) && log.goesOnFrom(replaced.get())) {
            setAside(COMPLETE, "the log goes on from the store that it was to replace, and not from it");
        } else {
            move(COMPLETE, DataFolder.STORE);
        }
    }

    /**
     * Exchanges a store that is damaged, or from which the log does not go on, with one from which it does: only the
     * latter has, with the log, every acknowledged update.
     */
    private void exchange(LogBounds log) throws IOException {
        Path store = folder.resolve(DataFolder.STORE);
        Optional<ManifestHead> current = ManifestHead.of(store);
        if (!Files.exists(store) || current.filter(log::goesOnFrom).isPresent()) {
            return;
        }
        for (String name : List.of(COMPLETE, REPLACED)) {
            Optional<ManifestHead> other = ManifestHead.of(folder.resolve(name)).filter(log::goesOnFrom)
                    .filter(head -> current.isEmpty() || current.get().storageId() == head.storageId());
            if (other.isPresent()) {
                setAside(DataFolder.STORE, current.isEmpty()
                        ? "its manifest is missing or damaged, and there is another store"
                        : "the log goes on from another store, and not from it");
                LOG.warn("the store {} is put in its place", folder.resolve(name));
                move(name, DataFolder.STORE);
                return;
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    private void setAside(String name, String why) throws IOException {
        Path aside = folder.resolve(DataFolder.ASIDE);
        OwnerOnly.createFolders(aside);
        Path kept = aside.resolve(name);
        for (int i = 2; Files.exists(kept); i++) {
            kept = aside.resolve(name + "-" + i);
        }
        Files.move(folder.resolve(name), kept, StandardCopyOption.ATOMIC_MOVE);
        FolderSync.force(aside);
        FolderSync.force(folder);
        LOG.error("{} is not used: {}. It is kept as {}; delete it when you do not need it", folder.resolve(name), why,
                kept);
    }

    /** Returns the folder for the new store, which does not exist. */
    public Path draft() {
        return folder.resolve(DRAFT);
    }

    /**
     * Puts the store that was written to {@link #draft} in the place of the old one, and deletes the old one if the new
     * one has all of its updates.
     *
     * @throws StorageException if that fails; the next start finishes it or finds the old store
     */
    public void replace() throws StorageException {
        replace(DRAFT, 0);
    }

    /**
     * Makes a store of the folder its current one. Deletes the earlier one if the new one has all of its updates, alone
     * or with the log. It stays if only the names of the files of the log tell that, and is kept aside otherwise.
     *
     * @param complete the name of the new store, all of whose files are on disk
     * @param logged the log has been read, and has every update that the new store lacks up to this one
     * @throws StorageException if that fails; the next start finishes it or finds the old store
     */
    public void replace(String complete, long logged) throws StorageException {
        try {
            FolderSync.force(folder.resolve(complete));
            delete(folder.resolve(COMPLETE));
            move(complete, COMPLETE);
            if (Files.exists(folder.resolve(DataFolder.STORE))) {
                if (Files.exists(folder.resolve(REPLACED))) {
                    setAside(REPLACED, "another store is replaced");
                }
                move(DataFolder.STORE, REPLACED);
            }
            finish(logged);
        } catch (IOException e) {
            throw new StorageException("the store of " + folder + " cannot be replaced: " + Reason.of(e), e);
        }
    }

    /** Deletes the draft, if it exists. */
    public void discard() throws StorageException {
        try {
            delete(draft());
        } catch (IOException e) {
            throw new StorageException(draft() + " cannot be deleted: " + Reason.of(e), e);
        }
    }

    private void move(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        FolderSync.force(folder);
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
