package dev.weir.storage.engine;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.compact.Compaction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that gets no reply repeats its datagram for up to 30 seconds. It counts once, whatever happens to the
 * storage meanwhile: restarts, checkpoints, changes of segments, compaction, repair. The log keeps next to no history
 * here.
 */
class RepeatedRequestsTest {
    private static final int WEIGHT = 7;
    private static final InstantSource CLOCK = InstantSource.system();
    private static final LogLimits NO_HISTORY = new LogLimits(LogLimits.MIN_SEGMENT * 4, 64 << 20, 0, Duration.ZERO, 0,
            LogLimits.DEFAULT.repeats());

    @TempDir
    private Path folder;

    private final Update write = Samples.write(1, 1, WEIGHT, CLOCK.millis() / 1_000, null);

    @BeforeEach
    void learn() throws Exception {
        try (StorageEngine engine = start()) {
            request(engine, 0);
            assertThat(value(engine)).isEqualTo(WEIGHT);
        }
    }

    private StorageEngine start() throws StorageException {
        return StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                NO_HISTORY, CLOCK), EngineFolder.open(folder));
    }

    private void request(StorageEngine engine, int n) throws IOException {
        CompletableFuture<Void> result = new CompletableFuture<>();
        UpdateOrigin client = new UpdateOrigin(InetAddress.getByAddress(new byte[]{127, 0, 0, 1}), 4_711, n, null);
        Update update = n == 0 ? write : Samples.write(2, 1, 1, CLOCK.millis() / 1_000, null);
        assertThat(engine.hashes().offer(new QueuedUpdate(update, client, new QueuedUpdate.Outcome() {
            @Override
            public void stored() {
                result.complete(null);
            }

            @Override
            public void failed() {
                result.completeExceptionally(new IOException("refused"));
            }
        }))).isTrue();
        result.join();
    }

    private long value(StorageEngine engine) {
        return engine.find(Samples.digest(1)).getFirst().value();
    }

    private void repeatsOnce() throws Exception {
        try (StorageEngine engine = start()) {
            request(engine, 0);
            assertThat(value(engine)).isEqualTo(WEIGHT);
            assertThat(engine.stats().updates().repeated()).isOne();
        }
    }

    @Test
    void afterOneRestart() throws Exception {
        repeatsOnce();
    }

    @Test
    void afterTwoRestarts() throws Exception {
        start().close();
        repeatsOnce();
    }

    @Test
    void afterManyRestarts() throws Exception {
        for (int i = 0; i < 5; i++) {
            start().close();
        }
        repeatsOnce();
        repeatsOnce();
    }

    @Test
    void afterAChangeOfSegmentsAndCheckpoints() throws Exception {
        try (StorageEngine engine = start()) {
            for (int i = 1; i < 300; i++) {
                request(engine, i);
                if (i % 100 == 0) {
                    engine.sync().join();
                }
            }
            assertThat(engine.log().bytes()).isGreaterThan(2L * NO_HISTORY.segmentBytes());
        }
        repeatsOnce();
    }

    @Test
    void afterACompaction() throws Exception {
        start().close();
        Compaction.run(folder, CLOCK, StartProgress.NONE);
        repeatsOnce();
    }

    @Test
    void afterARepairOfTheLog() throws Exception {
        Path killed = folder.resolveSibling(folder.getFileName() + "-killed");
        try (StorageEngine engine = start()) {
            request(engine, 1);
            engine.sync().join();
            request(engine, 2);
            request(engine, 3);
            Folders.copy(folder, killed);
        }
        Folders.delete(folder);
        Folders.copy(killed, folder);
        Folders.delete(killed);
        Path updates = folder.resolve(DataFolder.UPDATES);
        try (Stream<Path> files = Files.list(updates)) {
            Path last = files.filter(file -> file.toString().endsWith(".log")).sorted().toList().getLast();
            byte[] content = Files.readAllBytes(last);
            content[64 + 152 + 90] ^= 1;
            Files.write(last, content);
        }
        long storage = FolderView.storageId(folder);
        long revision;
        try (var view = FolderView.of(folder)) {
            revision = view.revision();
        }
        LogRepair repair = LogRepair.ofStore(updates, storage, revision, LogClaim.NOTHING,
                LogEndFile.of(folder, storage));
        assertThat(repair.plan().lost()).isOne();
        repair.run(NO_HISTORY, CLOCK);
        repeatsOnce();
    }

    /** Without the time for repetitions, nothing is kept that the store has. */
    @Test
    void theLogKeepsNothingElse() throws Exception {
        LogLimits none = new LogLimits(NO_HISTORY.segmentBytes(), NO_HISTORY.maxBytes(), 0, Duration.ZERO, 0,
                Duration.ZERO);
        for (int i = 0; i < 3; i++) {
            try (StorageEngine engine = StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5),
                    Acknowledge.DURABLE, none, CLOCK), EngineFolder.open(folder))) {
                request(engine, i + 1);
            }
        }
        try (Stream<Path> files = Files.list(folder.resolve(DataFolder.UPDATES))) {
            assertThat(files.filter(file -> file.toString().endsWith(".log"))).hasSize(1);
        }
    }
}
