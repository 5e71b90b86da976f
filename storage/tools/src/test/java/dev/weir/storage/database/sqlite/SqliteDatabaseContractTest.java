package dev.weir.storage.database.sqlite;

import java.nio.file.Path;

import dev.weir.storage.StorageException;
import dev.weir.storage.database.DatabaseContract;
import dev.weir.storage.database.HashDatabase;
import org.junit.jupiter.api.io.TempDir;

class SqliteDatabaseContractTest extends DatabaseContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected HashDatabase open() throws StorageException {
        return new SqliteFile(folder.resolve("fuzzy.db")).open();
    }
}
