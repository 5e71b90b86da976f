package dev.weir.storage.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.Checkpoints;
import dev.weir.storage.index.CheckpointUnwritableException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.RecentRequests;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start of an engine: the index of the store, then the updates that only the log has. The log also
 * provides the time of the last run, and the requests that clients may still repeat. Without that time, the hashes
 * provide one.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final EngineConfig config;
    private final EngineFiles store;
    private final Probe probe;

    private Recovery(EngineConfig config, EngineFiles store, Probe probe) {
        this.config = config;
        this.store = store;
        this.probe = probe;
    }

    /** The parts of a recovered engine. */
    record State(CheckpointedHashes hashes, UpdateLog log, HashIndex index, Timing timing, StorageClock clock,
            RecentRequests recent, OptionalLong swept) {}

    /**
     * Opens the store and the log.
     *
     * @throws StorageException with a sentence for the operator; both are closed then
     */
    static State run(EngineConfig config, EngineFiles store, StartProgress progress, Probe probe)
            throws StorageException {
        return new Recovery(config, store, probe).run(progress);
    }

    private State run(StartProgress progress) throws StorageException {
        CheckpointPlace place = store.openStore();
        requireStore(place);
        CheckpointedHashes hashes = CheckpointedHashes.open(config, place, progress);
        try {
            return replay(hashes);
        } catch (StorageException | RuntimeException e) {
            hashes.abandon();
            throw e;
        }
    }

    /** Refuses to begin a storage where one has run: its store is missing. */
    private void requireStore(CheckpointPlace place) throws StorageException {
        if (Checkpoints.exists(place.disk())) {
            return;
        }
        String proof = UpdateLog.isAbsent(store.openLog())
                ? store.hasRun() ? DataFolder.LOG_END : ""
                : "the update log in " + DataFolder.UPDATES;
        if (!proof.isEmpty()) {
            throw new StorageException(place.disk().describe("manifest") + " is missing, and " + proof
                    + " shows that a storage has run here: nothing was changed. Put back the folder "
                    + DataFolder.STORE + " or a backup of the storage; to begin an empty one, use an empty folder");
        }
    }

    private State replay(CheckpointedHashes hashes) throws StorageException {
        Timing timing = new Timing(config.expire(), config.sync());
        StorageClock clock = new StorageClock(config.clock(), config.nanos(), timing);
        RecentRequests recent = new RecentRequests(config.nanos(), config.hashes());
        HashIndex index = hashes.index();
        long applied = hashes.revision();
        long[] last = {Long.MIN_VALUE};
        List<LogClaim> claims = new ArrayList<>();
        for (Attachment attachment : store.attachments()) {
            claims.addAll(attachment.claims());
        }
        UpdateLog log;
        try {
            log = UpdateLog.open(store.openLog(), config.log(), hashes.storageId(), applied,
                    claims, store.logEnd(hashes.storageId()), clock,
                    config.nanos(), config.preparer(), update -> {
                        probe.recovered(update);
                        if (update.revision() > applied) {
                            index.apply(update.update());
                        }
                        recent.remember(update);
                        last[0] = update.millis();
                    });
        } catch (CheckpointUnwritableException e) {
            throw new StorageException("the updates of the log cannot be applied, because " + e.getMessage()
                    + ". Nothing is lost: free or repair the disk, then start again", e);
        } catch (IndexFullException e) {
            throw full(hashes, e);
        }
        try {
            hashes.recovered(log);
        } catch (StorageException | RuntimeException e) {
            log.close();
            throw e;
        }
        Optional<LastRun> left;
        try {
            left = store.lastRun(hashes.storageId());
        } catch (StorageException | RuntimeException e) {
            log.close();
            throw e;
        }
        left.ifPresent(run -> clock.known(StorageClock.Witness.FILE, run.millis()));
        left.flatMap(LastRun::doubt).ifPresent(clock::doubtedBefore);
        // Times in the hashes follow a clock that is ahead, so they count only if nothing else is known.
        long newest = last[0] == Long.MIN_VALUE && left.isEmpty() ? fromHashes(index) : last[0];
        if (newest != Long.MIN_VALUE) {
            clock.known(StorageClock.Witness.UPDATES, newest);
        }
        clock.start();
        // A storage without hashes begins with a steady horizon.
        OptionalLong swept = index.size() == 0 && timing.expireSeconds() > 0
                ? OptionalLong.of(clock.millis() / 1_000 - timing.expireSeconds())
                : left.map(LastRun::swept).orElse(OptionalLong.empty());
        // Before the first update, because the first minute of a storage must be recorded, too.
        store.saveLastRun(hashes.storageId(), new LastRun(clock.millis(), swept, clock.doubtSoFar()));
        if (log.durable() > applied) {
            LOG.info("{} updates of the log are not in the store yet", log.durable() - applied);
        }
        return new State(hashes, log, index, timing, clock, recent, swept);
    }

    /**
     * Returns the last time in the hashes, for a folder in which no storage has run: a restored database, an import, or
     * the database of Rspamd. Otherwise a clock that is years ahead would expire all of them. Times after the clock do
     * not count, because one wrong time of another program would expire all other hashes.
     */
    private long fromHashes(HashIndex index) {
        long last = index.lastTime(config.clock().millis() / 1_000);
        return last == 0 ? Long.MIN_VALUE : last * 1_000;
    }

    private static StorageException full(CheckpointedHashes hashes, IndexFullException cause) {
        return new StorageException("the " + hashes.index().size() + " hashes of the store"
                + " and the updates of the log do not fit (" + cause.getMessage()
                + "); give the storage more memory, or share the hashes out among several storages", cause);
    }
}
