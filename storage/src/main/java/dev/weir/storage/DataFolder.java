package dev.weir.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.os.LockFile;
import dev.weir.os.OwnerOnly;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a storage, locked for one process, and the names of the files in it. The lock belongs to the operating
 * system, on a file that stays: it ends with the process, so a crash leaves nothing to clean up.
 */
public final class DataFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);

    /** The database. */
    public static final String DATABASE = "fuzzy.db";

    /** The folder of the update log. */
    public static final String UPDATES = "updates";

    /** The index as the last stop left it. */
    public static final String INDEX = "index.snapshot";

    /** The last time at which a storage was running. */
    public static final String CLOCK = "clock";

    /** The buckets of the rate limits. */
    public static final String RATE_LIMITS = "ratelimits";

    /** The control socket, unless an option names another place. */
    public static final String CONTROL_SOCKET = "control.sock";

    /** Learn requests that wait for a remote storage. */
    public static final String LEARN_RETRIES = "learn-retries";

    /** What an unfinished import has fetched from Redis. */
    public static final String IMPORT_SPOOL = "import-redis.spool";

    private static final String LOCK = "weir.lock";

    private final Path folder;
    private final LockFile lock;

    private DataFolder(Path folder, LockFile lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Makes the folder if need be, for the user of the process alone, and locks it. One that is there keeps its mode,
     * for it may be shared with another program.
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

    /**
     * Returns the database of a storage that exists.
     *
     * @throws StorageException if the folder has none
     */
    public static Path databaseIn(Path folder) throws StorageException {
        Path database = folder.resolve(DATABASE);
        if (!Files.exists(database)) {
            throw new StorageException("there is no storage in " + folder + ": it has no " + DATABASE);
        }
        return database;
    }

    /** Returns a file of the folder. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * Returns the folder of that name, made if it is not there.
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

    /** Releases the lock. */
    @Override
    public void close() throws StorageException {
        try {
            lock.close();
        } catch (IOException e) {
            throw new StorageException("cannot release the lock of a data folder: " + e.getMessage(), e);
        }
    }
}
