package dev.weir.storage.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import dev.weir.model.KeyedHash;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.sqlite.FileState;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.Snapshot;
import dev.weir.storage.log.LogLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index as the last stop or import left it beside the database, for a start that need not read the database.
 *
 * <p>It is used only if the database is the very file that was left then: same number, same revision, same length, not
 * changed since. After a crash, a restored backup, or Rspamd's worker in between, the database is loaded.
 */
public final class KeptIndex {
    private static final Logger LOG = LoggerFactory.getLogger(KeptIndex.class);

    private final Path database;
    private final Path file;

    KeptIndex(Path database, Path file) {
        this.database = database;
        this.file = file;
    }

    static KeptIndex in(DataFolder folder) {
        return new KeptIndex(folder.file(DataFolder.DATABASE), folder.file(DataFolder.INDEX));
    }

    /**
     * Builds the index of a storage that does not run, unless it is there, so that its first start finds it.
     *
     * @throws StorageException if a storage is using the folder, or its database cannot be read
     */
    public static void prepare(Path dataDir, StartProgress progress) throws StorageException {
        try (DataFolder folder = DataFolder.open(dataDir)) {
            KeptIndex kept = in(folder);
            if (kept.fits()) {
                return;
            }
            HashIndex index;
            long storage;
            long revision;
            try (Backend backend = SqliteBackend.open(kept.database)) {
                index = load(backend, kept.database, progress);
                storage = backend.storageId();
                revision = backend.revision();
            }
            kept.write(index, storage, revision, LogLimits.DEFAULT.reserveBytes());
        }
    }

    /** The index of what is in a database. */
    static HashIndex load(Backend backend, Path database, StartProgress progress) throws StorageException {
        long start = System.nanoTime();
        long expected = backend.count();
        HashIndex index;
        try {
            index = new HashIndex(KeyedHash.random(), expected, (long) (expected * backend.signedShare()));
            IndexFiller filler = new IndexFiller(index);
            try (filler) {
                backend.load(filler, done -> progress.loading(done, expected));
            }
            if (filler.leftOut() > 0) {
                LOG.warn("{} flags of {} were left out: beside those from 0 to 255, a hash can have {}",
                        filler.leftOut(), database, StoredHash.MAX_ODD_FLAGS);
            }
        } catch (IndexFullException e) {
            throw full(database, expected, e);
        }
        LOG.info("loaded {} hashes from {} in {} ms", index.size(), database,
                (System.nanoTime() - start) / 1_000_000);
        return index;
    }

    /** What the operator hears whose hashes do not fit into the memory. */
    static StorageException full(Path database, long hashes, IndexFullException e) {
        return new StorageException("the " + hashes + " hashes of " + database + " do not fit into memory ("
                + e.getMessage() + "); give the storage more memory, or share the hashes out among several storages",
                e);
    }

    /** Whether nobody has written to the database since the index was kept. To be asked before it is opened. */
    boolean fits() {
        try {
            Optional<FileState> now = FileState.of(database);
            Optional<Snapshot.Origin> kept = Snapshot.origin(file);
            return now.isPresent() && kept.isPresent()
                    && now.get().bytes() == kept.get().databaseBytes()
                    && now.get().nanos() == kept.get().databaseNanos();
        } catch (IOException e) {
            return unusable(e);
        }
    }

    private boolean unusable(IOException e) {
        LOG.warn("{} cannot be used ({}); the database is loaded instead", file, e.getMessage());
        return false;
    }

    /**
     * Reads the index after {@link #fits} said yes.
     *
     * @return null if it is of no use after all
     */
    @Nullable
    HashIndex read(Backend backend, StartProgress progress) throws StorageException {
        long start = System.nanoTime();
        try {
            Snapshot.Origin kept = Snapshot.origin(file).orElse(null);
            if (kept == null || kept.storage() != backend.storageId() || kept.revision() != backend.revision()) {
                return null;
            }
            HashIndex index = Snapshot.read(file, kept, progress::reading).orElse(null);
            if (index != null) {
                LOG.info("read the index of {} hashes from {} in {} ms", index.size(), file,
                        (System.nanoTime() - start) / 1_000_000);
            }
            return index;
        } catch (IndexFullException e) {
            throw full(database, backend.count(), e);
        } catch (IOException e) {
            unusable(e);
            return null;
        }
    }

    /**
     * Keeps the index of a database that was closed with the same content. A failure costs the next start some time.
     *
     * @param spare bytes to leave free on the disk
     */
    void write(HashIndex index, long storage, long revision, long spare) {
        long start = System.nanoTime();
        try {
            FileState left = FileState.of(database).orElse(null);
            if (left == null) {
                remove();
                LOG.warn("another program has {} open; the next start loads it anew", database);
                return;
            }
            Snapshot.Origin origin = new Snapshot.Origin(storage, revision, left.bytes(), left.nanos());
            if (Snapshot.origin(file).equals(Optional.of(origin))) {
                return;
            }
            remove();
            long bytes = Snapshot.bytes(index);
            if (Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace() - bytes < spare) {
                LOG.warn("there is no room for {} MiB of index in {}; the next start loads the database", bytes >> 20,
                        file);
                return;
            }
            Snapshot.write(file, origin, index);
            LOG.info("wrote the index to {} in {} ms", file, (System.nanoTime() - start) / 1_000_000);
        } catch (IOException e) {
            LOG.warn("{} cannot be written ({}); the next start loads the database", file, e.getMessage());
        }
    }

    /** Removes an index that no longer fits. */
    void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed ({}); it is of no use any more", file, e.getMessage());
        }
    }
}
