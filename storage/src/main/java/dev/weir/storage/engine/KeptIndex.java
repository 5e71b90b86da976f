package dev.weir.storage.engine;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;

import dev.weir.model.KeyedHash;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.Fingerprint;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.index.Snapshot;
import dev.weir.storage.log.LogLimits;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshot of the last stop or import, so that a start need not read the backend.
 *
 * <p>A start uses it only if the backend is in the same state: same identifier, same revision, same fingerprint. After
 * a crash, after the restoration of a backup, or if Rspamd's worker wrote meanwhile, the start loads the backend.
 */
public final class KeptIndex {
    private static final Logger LOG = LoggerFactory.getLogger(KeptIndex.class);

    private final BackendStore store;
    private final SnapshotStore snapshot;

    KeptIndex(BackendStore store, SnapshotStore snapshot) {
        this.store = store;
        this.snapshot = snapshot;
    }

    /**
     * Builds the snapshot of a stopped storage if it is missing, so that its first start finds it.
     *
     * @throws StorageException if the backend cannot be read
     */
    public static void prepare(EngineStore of, StartProgress progress) throws StorageException {
        KeptIndex kept = new KeptIndex(of.backend(), of.snapshot());
        if (kept.fits()) {
            return;
        }
        HashIndex index;
        long storage;
        long revision;
        try (Backend backend = of.backend().open()) {
            index = kept.load(backend, KeyedHash::random, progress);
            storage = backend.storageId();
            revision = backend.revision();
        }
        kept.write(index, storage, revision, LogLimits.DEFAULT.reserveBytes());
    }

    /** Returns the index of the backend's content. */
    HashIndex load(Backend backend, Supplier<KeyedHash> hashes, StartProgress progress) throws StorageException {
        long start = System.nanoTime();
        long expected = backend.count();
        HashIndex index;
        try {
            index = new HashIndex(hashes.get(), expected, (long) (expected * backend.signedShare()));
            IndexFiller filler = new IndexFiller(index);
            try (filler) {
                backend.load(filler, done -> progress.loading(done, expected));
            }
            if (filler.leftOut() > 0) {
                LOG.warn("{} flags of {} were left out: beside those from 0 to 255, a hash can have {}",
                        filler.leftOut(), store.name(), StoredHash.MAX_ODD_FLAGS);
            }
        } catch (IndexFullException e) {
            throw full(expected, e);
        }
        LOG.info("loaded {} hashes from {} in {} ms", index.size(), store.name(),
                (System.nanoTime() - start) / 1_000_000);
        return index;
    }

    /** Returns the exception for the operator if the hashes do not fit into memory. */
    StorageException full(long hashes, IndexFullException e) {
        return new StorageException("the " + hashes + " hashes of " + store.name() + " do not fit into memory ("
                + e.getMessage() + "); give the storage more memory, or share the hashes out among several storages",
                e);
    }

    /**
     * Returns whether no program has written to the backend since the snapshot. Call it before the backend is opened.
     */
    boolean fits() {
        try {
            Optional<Fingerprint> now = store.fingerprint();
            return now.isPresent() && now.equals(snapshot.origin()
                    .map(kept -> new Fingerprint(kept.databaseBytes(), kept.databaseNanos())));
        } catch (IOException e) {
            return unusable(e);
        }
    }

    private boolean unusable(IOException e) {
        LOG.warn("{} cannot be used ({}); the database is loaded instead", snapshot.name(), e.getMessage());
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
            Snapshot.Origin kept = snapshot.origin().orElse(null);
            if (kept == null || kept.storage() != backend.storageId() || kept.revision() != backend.revision()) {
                return null;
            }
            HashIndex index = snapshot.read(kept, progress::reading).orElse(null);
            if (index != null) {
                LOG.info("read the index of {} hashes from {} in {} ms", index.size(), snapshot.name(),
                        (System.nanoTime() - start) / 1_000_000);
            }
            return index;
        } catch (IndexFullException e) {
            throw full(backend.count(), e);
        } catch (IOException e) {
            unusable(e);
            return null;
        }
    }

    /**
     * Writes the snapshot of a closed backend with the same content. A failure only costs the next start some time.
     *
     * @param spare bytes to leave free on the disk
     */
    void write(HashIndex index, long storage, long revision, long spare) {
        long start = System.nanoTime();
        try {
            Fingerprint left = store.fingerprint().orElse(null);
            if (left == null) {
                remove();
                LOG.warn("another program has {} open; the next start loads it again", store.name());
                return;
            }
            Snapshot.Origin origin = new Snapshot.Origin(storage, revision, left.bytes(), left.nanos());
            if (snapshot.origin().equals(Optional.of(origin))) {
                return;
            }
            remove();
            long bytes = Snapshot.bytes(index);
            if (snapshot.usableBytes() - bytes < spare) {
                LOG.warn("there is no room for {} MiB of index in {}; the next start loads the database", bytes >> 20,
                        snapshot.name());
                return;
            }
            snapshot.write(origin, index);
            LOG.info("wrote the index to {} in {} ms", snapshot.name(), (System.nanoTime() - start) / 1_000_000);
        } catch (IOException e) {
            LOG.warn("{} cannot be written ({}); the next start loads the database", snapshot.name(), e.getMessage());
        }
    }

    /** Deletes a snapshot that no longer matches. */
    void remove() {
        try {
            snapshot.delete();
        } catch (IOException e) {
            LOG.warn("{} cannot be removed ({}); it is of no use any more", snapshot.name(), e.getMessage());
        }
    }
}
