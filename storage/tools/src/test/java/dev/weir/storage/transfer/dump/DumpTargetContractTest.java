package dev.weir.storage.transfer.dump;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.HashTargetContract;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import org.junit.jupiter.api.io.TempDir;

class DumpTargetContractTest extends HashTargetContract {
    @TempDir
    Path folder = Path.of("");

    @Override
    protected HashTarget open() throws Exception {
        return DumpTarget.create(folder.resolve("x.dump"), false, InstantSource.system(), new SplittableRandom(1));
    }

    @Override
    protected List<StoredHash> contents() throws Exception {
        return Moves.all(DumpSource.open(folder.resolve("x.dump")), new Omissions());
    }
}
