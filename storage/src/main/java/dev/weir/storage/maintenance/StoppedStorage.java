package dev.weir.storage.maintenance;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;

import dev.weir.storage.StorageException;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;

/** An engine without a network, on a store that no storage uses. */
final class StoppedStorage {
    /** Limits for any log: another storage may have had larger ones. */
    static final LogLimits LIMITS = LogLimits.DEFAULT.withMost(Long.MAX_VALUE / 4);

    private StoppedStorage() {}

    /** Starts an engine that removes nothing because of its age. */
    static StorageEngine start(FolderStore store, InstantSource clock) throws StorageException {
        return StorageEngine.start(
                EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE, LIMITS, clock), store);
    }

    /** Writes a checkpoint that has every update. */
    static void bringUp(StorageEngine engine) throws StorageException {
        try {
            engine.sync().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof StorageException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
