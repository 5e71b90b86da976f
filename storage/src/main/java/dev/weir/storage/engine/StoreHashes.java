package dev.weir.storage.engine;

import java.time.Duration;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.IntegrityCheck;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.LogFollower;
import dev.weir.storage.queue.MirrorFeeder;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.store.CheckpointLock;
import dev.weir.storage.store.Checkpointer;
import dev.weir.storage.store.HashStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hashes in a store. */
final class StoreHashes implements DurableHashes {
    private static final Logger LOG = LoggerFactory.getLogger(StoreHashes.class);

    private final EngineConfig config;
    private final HashStore store;
    private final CheckpointLock lock;
    private final Optional<BackendStore> mirror;
    private volatile @Nullable Checkpointer checkpointer;

    private StoreHashes(EngineConfig config, HashStore store, StorePlace place) {
        this.config = config;
        this.store = store;
        this.lock = place.lock();
        this.mirror = place.mirror();
    }

    static StoreHashes open(EngineConfig config, StorePlace place, StartProgress progress) throws StorageException {
        long start = System.nanoTime();
        HashStore store = HashStore.open(place.disk(), place.settings(), place.ids(), config.hashes(),
                progress::loading);
        LOG.info("loaded {} hashes from the store in {} ms", store.index().size(),
                (System.nanoTime() - start) / 1_000_000);
        return new StoreHashes(config, store, place);
    }

    @Override
    public String name() {
        return "the store";
    }

    @Override
    public String ifLeftBehind() {
        return "the next start applies them";
    }

    @Override
    public long storageId() {
        return store.storageId();
    }

    @Override
    public long revision() {
        return store.revision();
    }

    @Override
    public HashIndex index() {
        return store.index();
    }

    /** Writes a checkpoint if the last one has more than the log, whose next updates would look as if it had them. */
    @Override
    public void recovered(UpdateLog log) throws StorageException {
        if (store.index().revision() != log.durable()) {
            throw new IllegalStateException("the index has " + store.index().revision() + " updates, the log ends with "
                    + log.durable());
        }
        store.recovered();
        if (store.isAheadOf(log.durable())) {
            LOG.warn("the last checkpoint has updates behind {}, where the log ends: the log has lost them",
                    log.durable());
            store.checkpoint(log.confirmed());
        }
    }

    @Override
    public LogFollower follower(UpdateLog log, Timing timing, StorageClock clock) {
        Checkpointer started = new Checkpointer(log, store, lock, config.nanos());
        checkpointer = started;
        return started;
    }

    @Override
    public Optional<MirrorFeeder> mirror(UpdateLog log, Timing timing, StorageClock clock) {
        return mirror.map(place -> new MirrorFeeder(log, place, store.storageId(), timing, clock, config.nanos()));
    }

    @Override
    public Optional<StoreFigures> figures() {
        Checkpointer started = checkpointer;
        return Optional.of(new StoreFigures(store.backlog(), started == null ? Duration.ZERO : started.age(),
                store.bytesWritten(), store.index().freeIds()));
    }

    @Override
    public IntegrityCheck check() {
        return IntegrityCheck.NONE;
    }

    @Override
    public void close(UpdateLog log, boolean complete) {
        log.close();
        store.close();
    }

    @Override
    public void abandon() {
        store.close();
    }
}
