package dev.weir.storage.maintenance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.DataFolder;
import dev.weir.storage.DatabaseDamagedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.ReadOnly;
import dev.weir.storage.engine.LastRun;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.state.StateFiles;

/**
 * What a restored storage needs beside its hashes: its clock, the skip list, the notes about imports, and the campaigns
 * and votes of traps. Without the skip list, false positives that an operator has silenced would match again. Without
 * the notes about imports, nothing would tell that content was added already.
 */
final class SideFiles {
    private SideFiles() {}

    /**
     * Copies the files of a storage, which may be running, as far as they exist. Before the hashes: what the traps have
     * noted as learned is then in the copy of the hashes.
     *
     * @param draft the folder of the copies, which is created
     * @throws StorageException if a file cannot be read or written
     */
    static void copy(Path folder, Path draft) throws StorageException {
        try {
            OwnerOnly.createFolders(draft);
            for (String name : List.of(DataFolder.SKIPS, DataFolder.IMPORTS, DataFolder.TRAPS_LOST)) {
                if (Files.exists(folder.resolve(name))) {
                    // A change replaces the file, so every state of it is complete.
                    FolderDisk.replace(draft.resolve(name), Files.readAllBytes(folder.resolve(name)));
                }
            }
        } catch (IOException e) {
            throw new StorageException("cannot copy the small files of " + folder + ": " + Reason.of(e), e);
        }
        copyClock(folder, draft);
        Path traps = folder.resolve(DataFolder.TRAPS);
        if (Files.exists(traps)) {
            try {
                ReadOnly.copy(traps, draft.resolve(DataFolder.TRAPS));
            } catch (DatabaseDamagedException e) {
                throw new StorageException(traps
                        + ", the campaigns and votes of traps, is damaged: restart the storage, "
                        + "which replaces it (move it away if there are no traps any more), and make the backup again",
                        e);
            }
        }
    }

    /** Copies the clock if it is sound; without it, a restored storage takes the time from its log. */
    private static void copyClock(Path folder, Path draft) throws StorageException {
        Path clock = folder.resolve(DataFolder.CLOCK);
        try {
            if (new StateFiles(folder, InstantSource.system()).peek(LastRun.FORMAT, 0).isPresent()) {
                FolderDisk.replace(draft.resolve(DataFolder.CLOCK), Files.readAllBytes(clock));
            }
        } catch (IOException e) {
            throw new StorageException("cannot copy " + clock + ": " + Reason.of(e, clock), e);
        }
    }

    /** Moves the files from a draft of a backup to their place. */
    static void move(Path draft, Path target) throws IOException {
        for (String name : List.of(DataFolder.CLOCK, DataFolder.SKIPS, DataFolder.IMPORTS, DataFolder.TRAPS,
                DataFolder.TRAPS_LOST)) {
            if (Files.exists(draft.resolve(name))) {
                Files.move(draft.resolve(name), target.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }
}
