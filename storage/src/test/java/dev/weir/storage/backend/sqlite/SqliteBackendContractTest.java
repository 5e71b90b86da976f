package dev.weir.storage.backend.sqlite;

import java.nio.file.Path;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.BackendContract;
import org.junit.jupiter.api.io.TempDir;

class SqliteBackendContractTest extends BackendContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected Backend open() throws StorageException {
        return new SqliteStore(folder.resolve("fuzzy.db")).open();
    }
}
