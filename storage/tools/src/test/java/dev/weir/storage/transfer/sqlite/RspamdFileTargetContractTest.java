package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.HashTargetContract;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import org.junit.jupiter.api.io.TempDir;

class RspamdFileTargetContractTest extends HashTargetContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected HashTarget open() throws Exception {
        return RspamdFileTarget.create(folder.resolve("fuzzy.db"), false, InstantSource.system());
    }

    @Override
    protected List<StoredHash> contents() throws Exception {
        return Moves.all(SqliteSource.open(folder.resolve("fuzzy.db")), new Omissions());
    }
}
