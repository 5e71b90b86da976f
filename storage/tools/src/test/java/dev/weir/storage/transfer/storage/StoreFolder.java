package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;

/** Storages with a store, for tests of transfers. */
final class StoreFolder {
    static final InstantSource CLOCK = () -> Instant.ofEpochSecond(1_800_000_000L);

    private StoreFolder() {}

    /** Starts a storage that removes nothing because of its age. */
    static StorageEngine start(Path folder) throws StorageException {
        return StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                LogLimits.DEFAULT, CLOCK), EngineFolder.open(folder));
    }

    /** Applies updates and waits for all of them. */
    static void apply(StorageEngine engine, List<? extends Update> updates) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        updates.forEach(update -> all.add(engine.apply(update)));
        all.forEach(CompletableFuture::join);
    }

    static List<StoredHash> content(Path folder) throws StorageException {
        return Moves.all(StorageSource.open(folder), new Omissions());
    }
}
