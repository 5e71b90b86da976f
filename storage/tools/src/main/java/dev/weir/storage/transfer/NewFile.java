package dev.weir.storage.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written under a temporary name and renamed when it is complete and on disk, so that no reader finds a
 * partial file. Only the user of the process can access it.
 */
public final class NewFile {
    private final Path file;
    private final Path draft;
    private final @Nullable Object identity;

    private NewFile(Path file, Path draft, @Nullable Object identity) {
        this.file = file;
        this.draft = draft;
        this.identity = identity;
    }

    /**
     * Creates an empty draft, replacing that of an earlier run.
     *
     * @param overwrite whether an existing file may be replaced
     * @throws StorageException if a file exists that may not be replaced, or the folder cannot be written
     */
    public static NewFile at(Path file, boolean overwrite) throws StorageException {
        if (Files.exists(file) && !overwrite) {
            throw new StorageException(
                    file + " exists already; use --overwrite to replace it or choose another name");
        }
        Path draft = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.deleteIfExists(draft);
            OwnerOnly.create(draft);
            return new NewFile(file, draft, identity(draft));
        } catch (IOException e) {
            throw new StorageException("cannot write " + draft + ": " + Reason.of(e, draft), e);
        }
    }

    private static @Nullable Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Returns the final name. */
    public Path file() {
        return file;
    }

    /** Returns the temporary name. */
    public Path draft() {
        return draft;
    }

    /**
     * Checks that the draft is still the one that was created.
     *
     * @throws StorageException if another program has replaced it, which then writes the same file
     */
    public void requireDraft() throws StorageException {
        try {
            if (!Objects.equals(identity(draft), identity)) {
                throw new StorageException("another program writes " + file + ", too");
            }
        } catch (IOException e) {
            throw new StorageException("cannot write " + draft + ": " + Reason.of(e, draft), e);
        }
    }

    /**
     * Syncs the draft and renames it.
     *
     * @throws StorageException if that fails, or {@link #requireDraft} does
     */
    public void commit() throws StorageException {
        requireDraft();
        try {
            try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                FolderSync.force(folder);
            }
        } catch (IOException e) {
            throw new StorageException("cannot write " + file + ": " + Reason.of(e, file), e);
        }
    }

    /** Deletes the draft if it still exists and no other program has replaced it. */
    public void discard() throws StorageException {
        try {
            if (Files.exists(draft) && Objects.equals(identity(draft), identity)) {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            throw new StorageException("cannot remove " + draft + ": " + Reason.of(e, draft), e);
        }
    }
}
