package dev.weir.storage.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.index.HalfChange;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An engine with its threads on a store in a folder. */
class StoreEngineTest {
    private static final int HASHES = 3_000;
    private static final long NOW = InstantSource.system().millis() / 1_000;

    @TempDir
    private Path folder;

    private static EngineConfig config(LogLimits limits) {
        return EngineConfig.of(Duration.ofDays(90), Duration.ofSeconds(1), Acknowledge.DURABLE, limits,
                InstantSource.system());
    }

    private StorageEngine start(LogLimits limits) throws StorageException {
        return StorageEngine.start(config(limits), EngineFolder.open(folder));
    }

    private static void learn(StorageEngine engine, int from, int to) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = from; n < to; n++) {
            all.add(engine.apply(Samples.write(n, 1 + n % 3, n + 1, NOW, n % 4 == 0 ? null : Samples.signature(n))));
        }
        all.forEach(CompletableFuture::join);
    }

    private static void check(StorageEngine engine, int to) {
        assertThat(engine.stats().hashes()).isEqualTo(to);
        for (int n = 0; n < to; n++) {
            assertThat(engine.find(Samples.digest(n))).singleElement()
                    .satisfies(flag -> assertThat(flag.value()).isPositive());
        }
    }

    @Test
    void appliesEverythingBeforeAStop() throws Exception {
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            learn(engine, 0, HASHES);
        }
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            assertThat(engine.stats().pending()).isZero();
            check(engine, HASHES);
            engine.apply(new Update.DeleteAll(Samples.digest(HASHES - 1))).join();
        }
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            check(engine, HASHES - 1);
        }
        assertThat(folder.resolve(DataFolder.DATABASE)).doesNotExist();
    }

    @Test
    void writesACheckpointForASync() throws Exception {
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            learn(engine, 0, 10);
            assertThat(engine.stats().pending()).isEqualTo(10);
            assertThat(engine.sync().join()).isEqualTo(10);
            assertThat(engine.stats().pending()).isZero();
        }
    }

    /** So many updates do not fit into the log: checkpoints must release it in time. */
    @Test
    void checkpointsKeepTheLogShort() throws Exception {
        LogLimits limits = new LogLimits(64 << 10, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (StorageEngine engine = start(limits)) {
            for (int n = 0; n < 5 * HASHES; n += 500) {
                learn(engine, n, n + 500);
                // A client that is faster than the disk is refused; this test is about the log.
                for (int i = 0; i < 500 && engine.state().log().unappliedBytes() > limits.maxBytes() / 2; i++) {
                    Thread.sleep(10);
                }
            }
            assertThat(engine.stats().troubles()).isEmpty();
            check(engine, 5 * HASHES);
        }
    }

    /** The history counts as disk space of the hashes. */
    @Test
    void aSmallStoreKeepsLittleHistory() throws Exception {
        LogLimits limits = new LogLimits(64 << 10, 64 << 20, 0, Duration.ofDays(7), 16 << 20, LogLimits.REPEATS);
        try (StorageEngine engine = start(limits)) {
            learn(engine, 0, HASHES);
            assertThat(engine.stats().logBytes()).isGreaterThan(10L * limits.segmentBytes());
            engine.sync().join();
            assertThat(engine.stats().logBytes()).isEqualTo(2L * limits.segmentBytes());
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void halfAnUpdateGetsIntoNoCheckpoint() throws Exception {
        StorageEngine engine = StorageEngine.open(config(LogLimits.DEFAULT),
                EngineFolder.open(folder), StartProgress.NONE);
        CompletableFuture<Throwable> death = new CompletableFuture<>();
        engine.start(() -> {}, (_, e) -> death.complete(e));
        engine.apply(Samples.write(1, 1, 10, NOW, null)).join();
        engine.sync().join();
        HalfChange.inject(engine.state().index(), () -> true);
        // The hash has the votes and the new id already when its signature fails.
        var _ = engine.apply(Samples.write(1, 1, 5, NOW, Samples.signature(1)));
        assertThat(death.join()).isInstanceOf(OutOfMemoryError.class);
        assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> engine.sync().join())
                .withMessageContaining("lacks updates");
        engine.close(true, _ -> {});
        assertThat(engine.stats().pending()).isEqualTo(1);

        try (StorageEngine next = start(LogLimits.DEFAULT)) {
            assertThat(next.find(Samples.digest(1))).singleElement()
                    .satisfies(flag -> assertThat(flag.value()).isEqualTo(15));
            assertThat(next.stats().databaseDamage()).isEmpty();
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aDrainingStopEndsAfterTheWriterDied() throws Exception {
        StorageEngine engine = StorageEngine.open(config(LogLimits.DEFAULT),
                EngineFolder.open(folder), StartProgress.NONE, new Probe() {
                    @Override
                    public void appearing(Update update) {
                        throw new OutOfMemoryError("simulated");
                    }
                });
        CompletableFuture<Throwable> death = new CompletableFuture<>();
        engine.start(() -> {}, (_, e) -> death.complete(e));
        var _ = engine.apply(Samples.write(1, 1, 10, NOW, null));
        assertThat(death.join()).isInstanceOf(OutOfMemoryError.class);
        engine.close(true, _ -> {});

        try (StorageEngine next = start(LogLimits.DEFAULT)) {
            assertThat(next.find(Samples.digest(1))).singleElement()
                    .satisfies(flag -> assertThat(flag.value()).isEqualTo(10));
        }
    }

    @Test
    void refusesADatabaseThatWasNotCarriedOver() throws Exception {
        start(LogLimits.DEFAULT).close();
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> DataFolder.databaseIn(folder))
                .withMessageContaining("are in a store");
        // The lock is free again.
        start(LogLimits.DEFAULT).close();

        Path other = Files.createDirectory(folder.resolve("other"));
        Path database = other.resolve(DataFolder.DATABASE);
        new SqliteFile(database).open().close();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> EngineFolder.open(other))
                .withMessageContaining("are in fuzzy.db");
        Files.delete(database);
        EngineFolder.open(other).close();
    }

    @Test
    void reportsDamageAsATrouble() throws Exception {
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            learn(engine, 0, 10);
        }
        Path slots = folder.resolve(DataFolder.STORE).resolve("signed.slots");
        byte[] content = Files.readAllBytes(slots);
        content[374] ^= 4;
        Files.write(slots, content);
        try (StorageEngine engine = start(LogLimits.DEFAULT)) {
            assertThat(engine.stats().hashes()).isEqualTo(9);
            assertThat(engine.stats().troubles()).singleElement().satisfies(
                    trouble -> assertThat(trouble.toString()).contains("the store is damaged", "signed.slots"));
        }
    }
}
