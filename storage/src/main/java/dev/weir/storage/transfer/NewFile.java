package dev.weir.storage.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.FolderDisk;

/**
 * A file that is written under another name and gets its own when it is complete and on disk: no reader ever finds half
 * of it under the name that was asked for. It is for the user of the process alone.
 */
public final class NewFile {
    private final Path file;
    private final Path draft;

    private NewFile(Path file, Path draft) {
        this.file = file;
        this.draft = draft;
    }

    /**
     * Makes an empty draft; one that an earlier run left is thrown away.
     *
     * @param overwrite whether a file of that name may be replaced
     * @throws StorageException if there is one that may not, or the folder cannot be written
     */
    public static NewFile at(Path file, boolean overwrite) throws StorageException {
        if (Files.exists(file) && !overwrite) {
            throw new StorageException(
                    file + " is there already; use --overwrite to replace it or choose another name");
        }
        Path draft = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.deleteIfExists(draft);
            OwnerOnly.create(draft);
        } catch (IOException e) {
            throw new StorageException("cannot write " + draft + ": " + e, e);
        }
        return new NewFile(file, draft);
    }

    /** Returns the name that was asked for. */
    public Path file() {
        return file;
    }

    /** Returns the name to write under. */
    public Path draft() {
        return draft;
    }

    /** Syncs the draft and gives it its name. */
    public void commit() throws StorageException {
        try {
            try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                FolderDisk.force(folder);
            }
        } catch (IOException e) {
            throw new StorageException("cannot write " + file + ": " + e, e);
        }
    }

    /** Throws the draft away if it is still there. */
    public void discard() throws StorageException {
        try {
            Files.deleteIfExists(draft);
        } catch (IOException e) {
            throw new StorageException("cannot remove " + draft + ": " + e, e);
        }
    }
}
