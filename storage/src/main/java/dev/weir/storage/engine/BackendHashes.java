package dev.weir.storage.engine;

import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.IntegrityCheck;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.BackendFeeder;
import dev.weir.storage.queue.LogFollower;
import dev.weir.storage.queue.MirrorFeeder;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;

/** The hashes of a backend, and the snapshot that the last stop left beside it. */
final class BackendHashes implements DurableHashes {
    private final EngineConfig config;
    private final EngineStore store;
    private final Backend backend;
    private final HashIndex index;

    private BackendHashes(EngineConfig config, EngineStore store, Backend backend, HashIndex index) {
        this.config = config;
        this.store = store;
        this.backend = backend;
        this.index = index;
    }

    static BackendHashes open(EngineConfig config, EngineStore store, StartProgress progress) throws StorageException {
        KeptIndex kept = new KeptIndex(store.backend(), store.snapshot());
        boolean fits = kept.fits();
        Backend backend = fits ? store.backend().reopen() : store.backend().open();
        try {
            HashIndex index = fits ? kept.read(backend, progress) : null;
            if (index == null) {
                kept.remove();
                index = kept.load(backend, config.hashes(), progress);
            }
            return new BackendHashes(config, store, backend, index);
        } catch (StorageException | RuntimeException e) {
            try {
                backend.close();
            } catch (StorageException notClosed) {
                e.addSuppressed(notClosed);
            }
            throw e;
        }
    }

    @Override
    public String name() {
        return "the database";
    }

    @Override
    public String ifLeftBehind() {
        return "the next start of weir applies them, but Rspamd would not see them. Before Rspamd takes over the"
                + " database, start weir serve --drain and stop it again";
    }

    @Override
    public long storageId() throws StorageException {
        return backend.storageId();
    }

    @Override
    public long revision() throws StorageException {
        return backend.revision();
    }

    @Override
    public HashIndex index() {
        return index;
    }

    @Override
    public void recovered(UpdateLog log) {
        // The log stays until the feeder has written it to the backend.
    }

    @Override
    public LogFollower follower(UpdateLog log, Timing timing, StorageClock clock) {
        return new BackendFeeder(log, BackendFeeder.Fed.of(backend, log), timing, clock, config.nanos());
    }

    @Override
    public Optional<MirrorFeeder> mirror(UpdateLog log, Timing timing, StorageClock clock) {
        return Optional.empty();
    }

    @Override
    public Optional<StoreFigures> figures() {
        return Optional.empty();
    }

    @Override
    public IntegrityCheck check() {
        return store.backend().integrityCheck();
    }

    /** Writes a snapshot if the index surely matches the backend. */
    @Override
    public void close(UpdateLog log, boolean complete) throws StorageException {
        long storage;
        long revision;
        try (backend) {
            log.close();
            storage = backend.storageId();
            revision = backend.revision();
        }
        if (complete && revision == log.durable()) {
            new KeptIndex(store.backend(), store.snapshot()).write(index, storage, revision,
                    config.log().reserveBytes());
        }
    }

    @Override
    public void abandon() throws StorageException {
        backend.close();
    }
}
