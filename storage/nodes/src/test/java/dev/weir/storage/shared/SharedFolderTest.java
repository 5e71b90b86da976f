package dev.weir.storage.shared;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.Attachment;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.maintenance.StoppedStorage;
import dev.weir.storage.redis.SharedClaim;
import dev.weir.storage.redis.SharedPosition;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What the folder of a node says about its engine while the node does not run. */
class SharedFolderTest {
    private static final SharedSettings ENGINE = SharedSettingsBuilder.at(new RedisAddress("127.0.0.1", 1)).build();

    /** Their records take three segments. */
    private static final int MANY = 200_000;
    private static final int BATCH = 1_000;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void toolsAndTheNodeKeepWhatTheEngineMayLack() throws Exception {
        assertThat(SharedClaim.reflected(files())).as("never shared").isEmpty();
        SharedPosition.begin("0123456789abcdef", 42, "", 3).write(files(), 1);
        assertThat(SharedClaim.reflected(files())).hasValue(42);
        assertThat(claimed(new SharedClaim(files()))).hasValue(42);
        assertThat(claimed(new SharedAttachment(ENGINE, files()))).hasValue(42);
    }

    private static OptionalLong claimed(Attachment attachment) throws StorageException {
        return attachment.claims().stream().mapToLong(LogClaim::revision).findFirst();
    }

    /** A tool that writes more than the usual history, such as an import. */
    @Test
    void anImportKeepsItsUpdatesForTheEngine() throws Exception {
        SharedPosition.begin("0123456789abcdef", 0, "", 1).write(files(), 1);
        List<String> first;
        try (StorageEngine engine = StoppedStorage.start(EngineFolder.open(folder), InstantSource.system())) {
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

    private StateFiles files() {
        return new StateFiles(folder, InstantSource.system());
    }

    /** A node without a position offers its hashes, and pushes nothing again. */
    @Test
    void aDamagedPositionIsKeptAside() throws Exception {
        SharedPosition.begin("0123456789abcdef", 42, "", 3).write(files(), 1);
        byte[] bytes = Files.readAllBytes(folder.resolve(DataFolder.SHARED));
        bytes[bytes.length / 2] ^= 1;
        Files.write(folder.resolve(DataFolder.SHARED), bytes);
        assertThat(SharedClaim.reflected(files())).isEmpty();
        assertThat(folder.resolve(DataFolder.SHARED)).doesNotExist();
        assertThat(folder.resolve(DataFolder.ASIDE)).isNotEmptyDirectory();
    }

    @Test
    void thePositionOfTheVersionBeforeIsRead() throws Exception {
        Files.writeString(folder.resolve(DataFolder.SHARED), "weir shared 1\nnode 0123456789abcdef 5\n"
                + "shard 00112233445566aa 17 00112233445566bb 42 40\n");
        SharedPosition read = SharedPosition.read(files(), 0).orElseThrow();
        assertThat(read.node()).isEqualTo("0123456789abcdef");
        assertThat(read.shards()[0].entry()).isEqualTo(17);
        assertThat(read.reflected()).isEqualTo(40);
    }
}
