package dev.weir.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.Stream;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;

/**
 * The replacement of the store of a folder by another one. A crash at any moment leaves the old store or the new one,
 * and the next process that locks the folder finishes the work.
 */
public final class StoreReplacement {
    /** A store that is being written. It never counts. */
    private static final String DRAFT = DataFolder.STORE + ".compacting";

    /** A complete store. It counts if the folder has no other one. */
    private static final String COMPLETE = DataFolder.STORE + ".compacted";

    private static final String REPLACED = DataFolder.STORE + ".replaced";

    private final Path folder;

    /** The replacement in a folder, which the caller has locked. */
    public StoreReplacement(DataFolder folder) {
        this(folder.file(""));
    }

    private StoreReplacement(Path folder) {
        this.folder = folder;
    }

    /** Returns whether a folder has a complete store that has yet to get its name. */
    static boolean isPending(Path folder) {
        return !hasManifest(folder, DataFolder.STORE) && hasManifest(folder, COMPLETE);
    }

    /** Returns whether a folder has a store of this name with a checkpoint. */
    static boolean hasManifest(Path folder, String store) {
        return Files.exists(folder.resolve(store).resolve("manifest"));
    }

    /** Finishes a replacement that was interrupted. The caller has the lock. */
    static void finish(Path folder) throws IOException {
        new StoreReplacement(folder).finish();
    }

    private void finish() throws IOException {
        if (isPending(folder)) {
            move(COMPLETE, DataFolder.STORE);
        }
        if (hasManifest(folder, DataFolder.STORE)) {
            for (String name : new String[]{DRAFT, COMPLETE, REPLACED}) {
                delete(folder.resolve(name));
            }
        }
    }

    /** Returns the folder for the new store, which does not exist. */
    public Path draft() {
        return folder.resolve(DRAFT);
    }

    /**
     * Puts the store that was written to {@link #draft} in the place of the old one, and deletes the old one.
     *
     * @throws StorageException if that fails; the next start finishes it or finds the old store
     */
    public void replace() throws StorageException {
        replace(DRAFT);
    }

    /**
     * Makes a store of the folder its current one, and deletes the earlier one if it exists.
     *
     * @param complete the name of the new store, all of whose files are on disk
     * @throws StorageException if that fails; the next start finishes it or finds the old store
     */
    public void replace(String complete) throws StorageException {
        try {
            FolderSync.force(folder.resolve(complete));
            delete(folder.resolve(COMPLETE));
            move(complete, COMPLETE);
            if (Files.exists(folder.resolve(DataFolder.STORE))) {
                delete(folder.resolve(REPLACED));
                move(DataFolder.STORE, REPLACED);
            }
            finish();
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
