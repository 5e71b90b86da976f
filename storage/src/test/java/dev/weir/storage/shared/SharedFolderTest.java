package dev.weir.storage.shared;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.maintenance.StoppedStorage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What the folder of a node says about its engine while the node does not run. */
class SharedFolderTest {
    private static final SharedSettings ENGINE = SharedSettings.at(new RedisAddress("127.0.0.1", 1));

    /** Their records take three segments. */
    private static final int MANY = 200_000;
    private static final int BATCH = 1_000;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void toolsAndTheNodeKeepWhatTheEngineMayLack() throws Exception {
        try (FolderStore tool = FolderStore.open(folder).forTool()) {
            assertThat(tool.redisHas()).as("never shared").isEmpty();
        }
        SharedPosition.begin("0123456789abcdef", 42, 3).write(folder.resolve(DataFolder.SHARED));
        try (FolderStore tool = FolderStore.open(folder).forTool()) {
            assertThat(tool.redisHas()).hasValue(42);
        }
        try (FolderStore node = FolderStore.open(folder).sharedWith(ENGINE)) {
            assertThat(node.redisHas()).hasValue(42);
        }
        try (FolderStore alone = FolderStore.open(folder)) {
            assertThat(alone.redisHas()).as("no longer shared").isEmpty();
        }
    }

    /** A tool that writes more than the usual history, such as an import. */
    @Test
    void anImportKeepsItsUpdatesForTheEngine() throws Exception {
        SharedPosition.begin("0123456789abcdef", 0, 1).write(folder.resolve(DataFolder.SHARED));
        List<String> first;
        try (StorageEngine engine = StoppedStorage.start(FolderStore.open(folder), InstantSource.system())) {
            first = segments();
            for (int from = 0; from < MANY; from += BATCH) {
                List<CompletableFuture<Void>> batch = new ArrayList<>();
                for (int n = from; n < from + BATCH; n++) {
                    batch.add(engine.apply(Samples.write(n, 1, 1, 1_000, Samples.signature(n))));
                }
                batch.forEach(CompletableFuture::join);
            }
            StoppedStorage.bringUp(engine);
        }
        assertThat(segments()).containsAll(first).hasSizeGreaterThan(2);
        assertThat(first).hasSize(1);
    }

    private List<String> segments() throws Exception {
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.UPDATES))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".log")).sorted()
                    .toList();
        }
    }

    @Test
    void aDamagedPositionIsAnError() throws Exception {
        Files.writeString(folder.resolve(DataFolder.SHARED), "weir shared 0\n");
        try (FolderStore tool = FolderStore.open(folder).forTool()) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(tool::redisHas);
        }
    }
}
