package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashSourceContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A source of a running storage, some of whose hashes are in the log only. */
class StorageSourceContractTest extends HashSourceContract {
    @TempDir
    private Path folder = Path.of("");

    private @Nullable StorageEngine engine;

    @BeforeEach
    void fill() throws StorageException {
        StorageEngine running = StoreFolder.start(folder);
        engine = running;
        List<Update> updates = new ArrayList<>();
        for (int n = 0; n < 8; n++) {
            updates.add(Samples.write(n, 1, 10 + n, 1_000, n % 3 == 0 ? null : Samples.signature(n)));
        }
        StoreFolder.apply(running, updates);
        running.sync().join();
        StoreFolder.apply(running, List.of(Samples.write(2, 1, 5, 1_001, null), Samples.write(9, 1, 5, 1_001, null),
                new Update.DeleteAll(Samples.digest(3))));
    }

    @AfterEach
    void stop() {
        if (engine != null) {
            engine.close();
        }
    }

    @Override
    protected HashSource open() throws Exception {
        return StorageSource.open(folder);
    }
}
