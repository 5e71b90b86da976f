package dev.weir.storage.transfer.flat;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashSourceContract;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class FlatFileSourceContractTest extends HashSourceContract {
    @TempDir
    Path folder = Path.of("");

    @BeforeEach
    void write() throws Exception {
        Files.write(folder.resolve("fuzzy"), FlatFileSourceTest.file());
    }

    @Override
    protected HashSource open() throws Exception {
        return FlatFileSource.open(folder.resolve("fuzzy"));
    }
}
