package dev.weir.storage.maintenance;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;

import dev.weir.storage.StorageException;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.redis.SharedClaim;

/** An engine without a network, on a store that no storage uses. */
public final class StoppedStorage {
    /** Limits for any log: another storage may have had larger ones. */
    static final LogLimits LIMITS = LogLimits.DEFAULT.withMost(Long.MAX_VALUE / 4);

    private StoppedStorage() {}

    /** Starts an engine that removes nothing because of its age, and no update of the log that a shared Redis lacks. */
    public static StorageEngine start(EngineFolder store, InstantSource clock) throws StorageException {
        return StorageEngine.start(
                EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE, LIMITS, clock),
                store.with(new SharedClaim(store.files())));
    }

    /**
     * Writes a checkpoint of the store in a folder, if the last one lacks updates.
     *
     * @throws StorageException if a storage uses the folder, or the store or the log is damaged or cannot be written
     */
    public static void bringUp(Path folder, InstantSource clock) throws StorageException {
        try (StorageEngine engine = start(EngineFolder.open(folder), clock)) {
            refuseDamage(engine);
            bringUp(engine);
        }
    }

    /**
     * Checks that the start found everything: the next checkpoint would no longer name what it left out.
     *
     * @throws StorageException if the store is damaged
     */
    public static void refuseDamage(StorageEngine engine) throws StorageException {
        String damage = engine.stats().databaseDamage();
        if (!damage.isEmpty()) {
            throw new StorageException(damage + "; weir repair removes what is lost");
        }
    }

    /** Writes a checkpoint that has every update. */
    public static void bringUp(StorageEngine engine) throws StorageException {
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
