package dev.weir.storage.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.Checkpointer;
import dev.weir.storage.checkpoint.Checkpoints;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The hashes that outlive an engine, in a store, without the updates that only the log has. */
final class CheckpointedHashes {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointedHashes.class);

    private final EngineConfig config;
    private final Checkpoints store;
    private final CheckpointLock lock;
    private volatile @Nullable Checkpointer checkpointer;

    private CheckpointedHashes(EngineConfig config, Checkpoints store, CheckpointPlace place) {
        this.config = config;
        this.store = store;
        this.lock = place.lock();
    }

    static CheckpointedHashes open(EngineConfig config, CheckpointPlace place, StartProgress progress)
            throws StorageException {
        long start = System.nanoTime();
        Checkpoints store = Checkpoints.open(place.disk(), place.settings(), place.ids(), config.hashes(),
                progress::loading);
        LOG.info("loaded {} hashes from the store in {} ms", store.index().size(),
                (System.nanoTime() - start) / 1_000_000);
        return new CheckpointedHashes(config, store, place);
    }

    /** Returns the number of the storage, which its log must have, too. */
    long storageId() {
        return store.storageId();
    }

    /** Returns the last revision for which the log is not needed. */
    long revision() {
        return store.revision();
    }

    /** Returns the index. {@link Recovery} applies the updates after {@link #revision} to it. */
    HashIndex index() {
        return store.index();
    }

    /**
     * Ends the recovery: the index has every update of the log. Writes a checkpoint if the last one has more than the
     * log, whose next updates would look as if it had them.
     *
     * @throws StorageException if the checkpoint cannot be written
     */
    void recovered(UpdateLog log) throws StorageException {
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

    /** Returns the writer of checkpoints for the running engine. */
    Checkpointer checkpointer(UpdateLog log) {
        Checkpointer started = new Checkpointer(log, store, lock, config.nanos());
        checkpointer = started;
        return started;
    }

    /** Returns the signatures of some hashes, see {@link Checkpoints#signatures}. Any thread may ask. */
    Map<Digest, Signature> signatures(Set<Digest> digests) throws StorageException {
        return store.signatures(digests);
    }

    /** Returns the state of the store. Any thread may ask. */
    CheckpointStats figures() {
        Checkpointer started = checkpointer;
        return new CheckpointStats(store.backlog(), started == null ? Duration.ZERO : started.age(),
                store.bytesWritten(), store.index().freeIds());
    }

    /** Releases everything after the last update. */
    void close(UpdateLog log) {
        log.close();
        store.close();
    }

    /** Releases everything after a failed start. */
    void abandon() {
        store.close();
    }
}
