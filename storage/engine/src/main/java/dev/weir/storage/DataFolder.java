package dev.weir.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import dev.weir.model.failure.Reason;
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

    /** The database, or a link to one of another name in the same folder. */
    public static final String DATABASE = "fuzzy.db";

    /** The folder of the store. */
    public static final String STORE = "store";

    /** The folder of the update log. */
    public static final String UPDATES = "updates";

    /** The index that a stop of an earlier version left. */
    public static final String INDEX = "index.snapshot";

    /** The state in which a stop left the database that follows the store. */
    public static final String MIRRORED = "mirrored";

    /** The last time at which a storage was running. */
    public static final String CLOCK = "clock";

    /** How far the update log reached, for a start that does not find it. */
    public static final String LOG_END = "log-end";

    /** How far a node has come with the Redis that it shares its hashes through. */
    public static final String SHARED = "shared";

    /** The buckets of the rate limits. */
    public static final String RATE_LIMITS = "ratelimits";

    /** The control socket, unless an option names another place. */
    public static final String CONTROL_SOCKET = "control.sock";

    /** Learn requests that wait for a remote storage. */
    public static final String LEARN_RETRIES = "learn-retries";

    /** The campaigns that traps have seen. */
    public static final String TRAPS = "traps.db";

    /** Exists while {@link #TRAPS} has yet to be replaced, because it was damaged. */
    public static final String TRAPS_LOST = TRAPS + ".lost";

    /** The progress of imports into a store. */
    public static final String IMPORTS = "imports";

    /** The skip list that operators edit while the storage runs. */
    public static final String SKIPS = "skips";

    /** The history of the figures, of bounded size. It may be deleted while the storage is stopped. */
    public static final String HISTORY = "history";

    /** The hits of frequent hashes, written every minute. It may be deleted while the storage is stopped. */
    public static final String HITS = "hits";

    /** The first words of mails, if the operator allows them. It may be deleted while the storage is stopped. */
    public static final String SAMPLES = "samples";

    /** The groups of checks without a hit, written every minute. It may be deleted while the storage is stopped. */
    public static final String WAVES = "waves";

    /** What an unfinished import has fetched from Redis. */
    public static final String IMPORT_SPOOL = "import-redis.spool";

    /** The next content of a follower that starts from a checkpoint. */
    public static final String FRESH = "fresh-copy";

    /** Update logs with updates that no other node has. */
    public static final String ASIDE = "kept-aside";

    /** Whether this node was promoted, and which other node leads. */
    public static final String NODE = "node";

    /** The places of the followers of this node in its history. */
    public static final String FOLLOWERS = "followers";

    /** The counters of the old replication. */
    public static final String PUSHES = "pushes";

    /** The batch of a master that is being applied. */
    public static final String PUSHED_BATCH = "pushed-batch";

    /** Files that stay, with the number of the new storage, when other hashes take the place of those in the folder. */
    public static final List<String> STAYING = List.of(SKIPS, RATE_LIMITS, HITS, SAMPLES, WAVES);

    private static final String LOCK = "weir.lock";

    /** The links from one file to the next; the kernel follows as many. */
    private static final int MAX_LINKS = 40;

    /** The names that this folder has a use for; a database cannot have them. */
    private static final Set<String> TAKEN = Set.of(STORE, UPDATES, INDEX, CLOCK, LOG_END, SHARED, RATE_LIMITS,
            CONTROL_SOCKET,
            LEARN_RETRIES, TRAPS, TRAPS_LOST, IMPORTS, SKIPS, HISTORY, HITS, SAMPLES, WAVES, MIRRORED, IMPORT_SPOOL,
            FRESH,
            ASIDE, NODE,
            FOLLOWERS,
            PUSHES, PUSHED_BATCH, LOCK);

    private final Path folder;
    private final LockFile lock;

    private DataFolder(Path folder, LockFile lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Creates the folder if it is missing, for the user of the process alone, and locks it. An existing folder keeps
     * its mode, because another program may share it.
     *
     * @throws StorageException if it cannot be created or written, another storage has it, or its hashes are in a store
     */
    public static DataFolder open(Path folder) throws StorageException {
        refuseStore(folder);
        return lock(folder);
    }

    /**
     * Does the same for a folder that has its hashes in a store, or has no hashes yet.
     *
     * @throws StorageException as {@link #open}, and if the folder has a database
     */
    public static DataFolder openStore(Path folder) throws StorageException {
        DataFolder opened = lock(folder);
        if (!hasStore(folder) && Files.exists(database(folder))) {
            opened.close();
            throw new StorageException("the hashes of " + folder.toAbsolutePath() + " are in "
                    + database(folder).getFileName()
                    + "; weir serve carries them over when it starts");
        }
        return opened;
    }

    /**
     * Does the same for a folder with hashes of any kind.
     *
     * @throws StorageException if it cannot be created or written, or another storage has it
     */
    public static DataFolder openAny(Path folder) throws StorageException {
        return lock(folder);
    }

    /** Returns whether a database in a data folder may have a name. */
    public static boolean isFree(String name) {
        return !TAKEN.contains(name) && !name.startsWith(DATABASE + "-") && !name.startsWith(STORE + ".")
                && !name.startsWith(UPDATES + ".");
    }

    /**
     * Makes a file of a folder its database: {@value #DATABASE} becomes a link to it, so that every tool finds it. Does
     * nothing if it is the database already.
     *
     * @param name the name of the file, which need not exist
     * @throws StorageException if the folder cannot be used, or has hashes in another place
     */
    public static void choose(Path folder, String name) throws StorageException {
        if (name.equals(DATABASE)) {
            return;
        }
        try (DataFolder locked = lock(folder)) {
            Path link = locked.file(DATABASE);
            Path file = locked.file(name);
            if (Files.isSymbolicLink(link)) {
                if (linked(link, 1).equals(file.normalize())) {
                    return;
                }
                throw new StorageException("the database of " + folder.toAbsolutePath() + " is "
                        + linked(link, 1).getFileName() + ", not " + name + ": a storage needs a folder of its own");
            }
            if (Files.exists(link)) {
                throw new StorageException(
                        "the hashes of " + folder.toAbsolutePath() + " are in " + DATABASE + ", not in "
                                + name + ": move one of the two to a folder of its own");
            }
            if (hasStore(folder) && Files.exists(file)) {
                throw new StorageException("the hashes of " + folder.toAbsolutePath() + " are in a store, and those of "
                        + name + " would not be read: bring them over with weir import");
            }
            Files.createSymbolicLink(link, Path.of(name));
            LOG.info("{} is now a link to {}", link, name);
        } catch (IOException e) {
            throw new StorageException("cannot make " + name + " the database of " + folder.toAbsolutePath() + " ("
                    + reason(e) + ")", e);
        }
    }

    /** Returns the place of the database of a folder, which need not exist: {@value #DATABASE}, or what it links to. */
    public static Path database(Path folder) {
        return followed(folder.resolve(DATABASE));
    }

    /**
     * Returns what a file links to, in the end; the file itself if it is no link. SQLite keeps its other files beside
     * that one, and a file that is replaced there leaves the links as they are.
     */
    public static Path followed(Path file) {
        return linked(file, MAX_LINKS);
    }

    private static Path linked(Path file, int links) {
        Path place = file;
        try {
            for (int i = 0; i < links && Files.isSymbolicLink(place); i++) {
                place = place.resolveSibling(Files.readSymbolicLink(place)).normalize();
            }
        } catch (IOException e) {
            // Another process replaced the link, or it cannot be read, which whoever opens the file reports.
            LOG.debug("the link {} cannot be read", place, e);
        }
        return place;
    }

    /** Returns whether a folder has its hashes in a store. */
    public static boolean hasStore(Path folder) {
        return CheckpointReplacement.hasManifest(folder, STORE) || CheckpointReplacement.isPending(folder);
    }

    private static void refuseStore(Path folder) throws StorageException {
        if (hasStore(folder)) {
            throw new StorageException("the hashes of " + folder.toAbsolutePath() + " are in a store");
        }
    }

    /**
     * Checks that a folder has a storage of any kind.
     *
     * @throws StorageException if it has none
     */
    public static void requireStorage(Path folder) throws StorageException {
        if (!hasStore(folder)) {
            databaseIn(folder);
        }
    }

    /**
     * Returns the command that makes a stopped storage go on with the database of its folder instead of the store
     * (docs/operate/moving.md#a-copy-of-a-database).
     */
    public static String adoption(Path folder) {
        return "weir adopt --apply --data " + folder.toAbsolutePath().normalize();
    }

    private static DataFolder lock(Path folder) throws StorageException {
        Path file = folder.resolve(LOCK);
        try {
            OwnerOnly.createFolders(folder);
            if (OwnerOnly.othersMayWrite(folder)) {
                LOG.warn("every user may write to the folder {} and exchange the database: chmod o-w is advised",
                        folder.toAbsolutePath());
            }
            LockFile lock = LockFile.take(file).orElseThrow(() -> new FolderInUseException(folder));
            tighten(file);
            finishReplacement(folder, lock);
            return new DataFolder(folder, lock);
        } catch (IOException e) {
            throw new StorageException("cannot write to the folder " + folder.toAbsolutePath() + " (" + reason(e)
                    + "); check its owner and mode or choose another one", e);
        }
    }

    private static void finishReplacement(Path folder, LockFile lock) throws IOException {
        try {
            CheckpointReplacement.finish(folder);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    /** Earlier versions made files by the umask. */
    private static void tighten(Path file) {
        try {
            OwnerOnly.tighten(file);
        } catch (IOException e) {
            LOG.warn("the mode of {} cannot be changed; other users can still read it: {}",
                    file.toAbsolutePath(), Reason.of(e, file));
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
     * @throws StorageException if the folder has none, or its hashes are in a store
     */
    public static Path databaseIn(Path folder) throws StorageException {
        refuseStore(folder);
        Path database = database(folder);
        if (!Files.exists(database)) {
            Path store = folder.resolve(STORE);
            if (Files.exists(store) || Files.exists(folder.resolve(LOG_END))
                    || Files.exists(folder.resolve(UPDATES))) {
                throw new StorageException(store.resolve("manifest") + " is missing, without which the store of "
                        + folder + " cannot be read: put it back, or restore the storage from a backup");
            }
            throw new StorageException("there is no storage in " + folder + ": it has no " + database.getFileName());
        }
        return database;
    }

    /** Returns the place of the database, which need not exist. */
    public Path database() {
        return database(folder);
    }

    /** Returns the folder itself. */
    public Path path() {
        return folder;
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
            throw new StorageException("cannot release the lock of a data folder: " + Reason.of(e), e);
        }
    }
}
