package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.util.List;

import dev.weir.storage.Samples;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashSourceContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class SqliteSourceContractTest extends HashSourceContract {
    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void write() throws Exception {
        try (HashDatabase backend = new SqliteFile(folder.resolve("fuzzy.db")).open()) {
            backend.apply(new UpdateBatch(1, 5_000, List.of(Samples.write(1, 3, 10, 1_000, Samples.signature(1)),
                    Samples.write(2, 4, 5, 1_001, null), Samples.write(2, 5, 6, 1_002, null),
                    Samples.write(3, 1, 1, 1_003, Samples.signature(3)))));
        }
    }

    @Override
    protected HashSource open() throws Exception {
        return SqliteSource.open(folder.resolve("fuzzy.db"));
    }
}
