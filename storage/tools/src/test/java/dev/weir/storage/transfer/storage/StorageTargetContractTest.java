package dev.weir.storage.transfer.storage;

import java.nio.file.Path;
import java.util.List;

import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.HashTargetContract;
import org.junit.jupiter.api.io.TempDir;

class StorageTargetContractTest extends HashTargetContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected HashTarget open() throws Exception {
        return StorageTarget.open(folder.resolve("data"), StoreFolder.CLOCK);
    }

    @Override
    protected List<StoredHash> contents() throws Exception {
        return StoreFolder.content(folder.resolve("data"));
    }
}
