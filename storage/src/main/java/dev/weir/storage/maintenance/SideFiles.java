package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.FolderStore;

/**
 * What a restored storage needs beside its hashes: its clock, the skip list, and the campaigns and votes of traps.
 * Without the skip list, false positives that an operator has silenced would match again.
 */
final class SideFiles {
    private SideFiles() {}

    /** Copies the files of a storage, which may be running, as far as they exist. */
    static void copy(Path folder, Path target) throws StorageException {
        FolderStore.copyLastTime(folder, target);
        Path skips = folder.resolve(DataFolder.SKIPS);
        if (Files.exists(skips)) {
            try {
                // A change replaces the file, so every state of it is complete.
                Path copy = target.resolve(DataFolder.SKIPS);
                OwnerOnly.create(copy);
                Files.write(copy, Files.readAllBytes(skips));
            } catch (IOException e) {
                throw new StorageException("cannot copy " + skips + ": " + e, e);
            }
        }
        Path traps = folder.resolve(DataFolder.TRAPS);
        if (Files.exists(traps)) {
            FolderStore.copyDatabase(traps, target.resolve(DataFolder.TRAPS));
        }
    }

    /** Moves the files from a draft of a backup to their place. */
    static void move(Path draft, Path target) throws IOException {
        for (String name : new String[]{DataFolder.CLOCK, DataFolder.SKIPS, DataFolder.TRAPS}) {
            if (Files.exists(draft.resolve(name))) {
                Files.move(draft.resolve(name), target.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }
}
