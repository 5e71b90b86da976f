package dev.weir.storage.engine;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start of an engine: the index of what the backend has, then the updates that only the log has. From the log it
 * also learns the time of the last run, and the requests that clients may still repeat.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final EngineConfig config;
    private final EngineStore store;
    private final Probe probe;
    private final KeptIndex kept;

    private Recovery(EngineConfig config, EngineStore store, Probe probe) {
        this.config = config;
        this.store = store;
        this.probe = probe;
        this.kept = new KeptIndex(store.backend(), store.snapshot());
    }

    /** What an engine runs on. */
    record State(Backend backend, UpdateLog log, HashIndex index, Timing timing, StorageClock clock,
            RecentRequests recent) {}

    /**
     * Opens the backend and the log.
     *
     * @throws StorageException with a sentence for the operator; both are closed then
     */
    static State run(EngineConfig config, EngineStore store, StartProgress progress, Probe probe)
            throws StorageException {
        return new Recovery(config, store, probe).run(progress);
    }

    private State run(StartProgress progress) throws StorageException {
        boolean fits = kept.fits();
        Backend backend = fits ? store.backend().reopen() : store.backend().open();
        try {
            HashIndex index = fits ? kept.read(backend, progress) : null;
            if (index == null) {
                kept.remove();
                index = kept.load(backend, config.hashes(), progress);
            }
            return replay(backend, index);
        } catch (StorageException | RuntimeException e) {
            close(backend, e);
            throw e;
        }
    }

    private static void close(Backend backend, Exception cause) {
        try {
            backend.close();
        } catch (StorageException e) {
            cause.addSuppressed(e);
        }
    }

    private State replay(Backend backend, HashIndex index) throws StorageException {
        Timing timing = new Timing(config.expire(), config.sync());
        StorageClock clock = new StorageClock(config.clock(), config.nanos(), timing);
        RecentRequests recent = new RecentRequests(config.nanos(), config.hashes());
        store.lastTime().ifPresent(clock::known);
        long applied = backend.revision();
        long[] last = {Long.MIN_VALUE};
        UpdateLog log;
        try {
            log = UpdateLog.open(store.openLog(), config.log(), backend.storageId(), applied, clock, config.preparer(),
                    update -> {
                        probe.recovered(update);
                        if (update.revision() > applied) {
                            index.apply(update.update());
                        }
                        recent.remember(update);
                        last[0] = update.millis();
                    });
        } catch (IndexFullException e) {
            throw kept.full(index.size(), e);
        }
        clock.known(last[0]);
        clock.start();
        // Before the first update: the first minute of a storage must be known, too.
        store.saveLastTime(clock.millis());
        if (log.durable() > applied) {
            LOG.info("{} updates of the log are not in the database yet", log.durable() - applied);
        }
        return new State(backend, log, index, timing, clock, recent);
    }
}
