package dev.weir.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

import dev.weir.net.LockFile;
import dev.weir.net.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder that a storage has to itself. The lock is the operating system's, on a file that stays: it ends with the
 * process, however that ends, so there is nothing to clean up after a crash.
 */
public final class DataFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);

    private static final String LOCK = "weir.lock";

    private final Path folder;
    private final LockFile lock;

    private DataFolder(Path folder, LockFile lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Makes the folder if need be, for the user of the process alone, and locks it. One that is there keeps its mode, for it
     * may be shared with another program.
     *
     * @throws StorageException if it cannot be made or written, or another storage has it
     */
    public static DataFolder open(Path folder) throws StorageException {
        Path file = folder.resolve(LOCK);
        try {
            OwnerOnly.createFolders(folder);
            if (OwnerOnly.othersMayWrite(folder)) {
                LOG.warn("every user may write to the folder {} and exchange the database: chmod o-w is advised",
                        folder.toAbsolutePath());
            }
            LockFile lock = LockFile.take(file).orElseThrow(() -> new StorageException("another weir is using "
                    + folder.toAbsolutePath() + "; stop it or choose another folder"));
            tighten(file);
            return new DataFolder(folder, lock);
        } catch (IOException e) {
            throw new StorageException("cannot write to the folder " + folder.toAbsolutePath() + " (" + reason(e)
                    + "); check its owner and mode or choose another one", e);
        }
    }

    /** Earlier versions made files by the umask. */
    private static void tighten(Path file) {
        try {
            OwnerOnly.tighten(file);
        } catch (IOException e) {
            LOG.warn("the mode of {} cannot be changed, so that other users may go on reading it: {}",
                    file.toAbsolutePath(), e.toString());
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException exists -> "there is a file of that name";
            case FileSystemException system when system.getReason() != null -> system.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    /** A file of the folder. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * The folder of that name, made if it is not there.
     *
     * @throws StorageException if it cannot be made
     */
    public Path folder(String name) throws StorageException {
        Path inner = folder.resolve(name);
        try {
            OwnerOnly.createFolders(inner);
            tighten(inner);
            return inner;
        } catch (IOException e) {
            throw new StorageException("cannot make the folder " + inner.toAbsolutePath() + " (" + reason(e) + ")", e);
        }
    }

    /** Lets go of the lock. */
    @Override
    public void close() throws StorageException {
        try {
            lock.close();
        } catch (IOException e) {
            throw new StorageException("cannot let go of the lock of a data folder: " + e.getMessage(), e);
        }
    }
}
