package dev.weir.storage.engine;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

class SnapshotFileContractTest extends SnapshotStoreContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected SnapshotStore store() {
        return new SnapshotFile(folder.resolve("index"));
    }
}
