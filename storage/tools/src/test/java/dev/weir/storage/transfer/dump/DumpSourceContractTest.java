package dev.weir.storage.transfer.dump;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashSourceContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class DumpSourceContractTest extends HashSourceContract {
    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void write() throws Exception {
        Files.write(folder.resolve("dump"), DumpTest.write(LongStream.rangeClosed(1, 20)
                .mapToObj(n -> new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, 1_000)),
                        Samples.signature(n)))
                .toList()));
    }

    @Override
    protected HashSource open() throws Exception {
        return DumpSource.open(folder.resolve("dump"));
    }
}
