package dev.weir.storage.engine;

import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.database.DatabaseFile;
import dev.weir.storage.database.IntegrityCheck;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.mirror.MirrorAttachment;
import dev.weir.storage.mirror.MirrorFeeder;
import dev.weir.storage.mirror.MirrorPlace;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.storage.transfer.mirror.FolderMirror;
import dev.weir.storage.transfer.mirror.MirrorBuild;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import dev.weir.storage.view.StorageView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A store and the database that mirrors it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MirrorTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;

    @TempDir
    private Path scratch;

    private static EngineConfig config(LogLimits limits) {
        return EngineConfig.of(Duration.ofDays(90), Duration.ofMillis(20), Acknowledge.DURABLE, limits,
                InstantSource.system());
    }

    private StorageEngine start(LogLimits limits, Path mirror) throws StorageException {
        return StorageEngine.start(config(limits),
                CarryOver.open(scratch.resolve("data"), Optional.of(mirror), StartProgress.NONE));
    }

    private StorageEngine start() throws StorageException {
        return start(LogLimits.DEFAULT, mirror());
    }

    private Path mirror() {
        return scratch.resolve("fuzzy.db");
    }

    private static void learn(StorageEngine engine, int from, int to) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = from; n < to; n++) {
            all.add(engine.apply(Samples.write(n, 1, n + 1, NOW, n % 4 == 0 ? null : Samples.signature(n))));
        }
        all.forEach(CompletableFuture::join);
    }

    private long[] inMirror() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                Statement statement = connection.createStatement();
                ResultSet row = statement
                        .executeQuery("SELECT count(*), coalesce(sum(value), 0) FROM digests")) {
            row.next();
            return new long[]{row.getLong(1), row.getLong(2)};
        }
    }

    @Test
    void hasEverythingAfterAStop() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 300);
            engine.apply(new Update.DeleteAll(Samples.digest(299))).join();
        }
        assertThat(inMirror()).containsExactly(299, 299 * 300 / 2);
        try (StorageEngine engine = start()) {
            learn(engine, 299, 400);
        }
        assertThat(inMirror()).containsExactly(400, 400 * 401 / 2);
    }

    @Test
    void theSearchForDamageLeavesNoWriteAheadLog() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        LateSearch search = new LateSearch(mirror(), closed);
        Path data = scratch.resolve("data");
        MirrorPlace real = new FolderMirror(data, mirror(), InstantSource.system());
        MirrorPlace place = replacing(MirrorPlace.class, real, Map.of(
                "backend", () -> replacing(DatabaseFile.class, real.backend(), Map.of("integrityCheck", () -> search)),
                "closed", () -> {
                    closed.countDown();
                    return null;
                }));
        try (StorageEngine engine = StorageEngine.start(config(LogLimits.DEFAULT),
                CarryOver.openWithoutMirror(data).with(new MirrorAttachment(place)))) {
            learn(engine, 0, 100);
            engine.sync().join();
            assertThat(scratch.resolve("fuzzy.db-wal")).exists();
            search.begun.await();
        }
        // The connection of inMirror() would remove it.
        assertThat(scratch.resolve("fuzzy.db-wal")).doesNotExist();
        assertThat(inMirror()).containsExactly(100, 5_050);
    }

    /** A search that is slow to end, as on a busy machine: it ends after the mirror, if that closes before it. */
    private static final class LateSearch implements IntegrityCheck {
        private final Path file;
        private final CountDownLatch closed;
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch ending = new CountDownLatch(1);

        LateSearch(Path file, CountDownLatch closed) {
            this.file = file;
            this.closed = closed;
        }

        @Override
        public String damage() {
            return "";
        }

        @Override
        public void end() {
            ending.countDown();
        }

        @Override
        public void run() {
            // Without a transaction, which the closing of the mirror would wait for.
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + file + "?mode=ro");
                    Statement statement = connection.createStatement()) {
                statement.executeQuery("SELECT count(*) FROM digests").close();
                begun.countDown();
                ending.await();
                closed.await(500, TimeUnit.MILLISECONDS);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns an object that works as another one, except for some methods without parameters. */
    private static <T> T replacing(Class<T> type, T real, Map<String, Supplier<@Nullable Object>> methods) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (_, method, arguments) -> {
            Supplier<@Nullable Object> own = methods.get(method.getName());
            return own == null ? method.invoke(real, arguments) : own.get();
        }));
    }

    @Test
    void aSyncIncludesTheMirror() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 100);
            engine.sync().join();
            assertThat(inMirror()).containsExactly(100, 5_050);
            assertThat(engine.stats().unmirrored()).contains(0L);
        }
    }

    @Test
    void aLockedMirrorHoldsNothingUpAndCatchesUp() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 10);
            engine.sync().join();
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                learn(engine, 10, 200);
                assertThat(engine.stats().hashes()).isEqualTo(200);
                assertThat(engine.checkpoint().join()).isEqualTo(200);
                assertThat(engine.sync()).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(Exception.class)
                        .withMessageContaining("locked");
                assertThat(engine.stats().unmirrored()).contains(190L);
                assertThat(states(engine)).containsExactly("store RUNNING 0", "mirror FAILING 190");
                assertThat(engine.stats().troubles()).anyMatch(trouble -> trouble.reason().contains("mirror"));
                statement.execute("ROLLBACK");
            }
            engine.sync().join();
            assertThat(inMirror()).containsExactly(200, 200 * 201 / 2);
            assertThat(engine.stats().troubles()).isEmpty();
            assertThat(states(engine)).containsExactly("store RUNNING 0", "mirror RUNNING 0");
            assertThat(engine.stats().consumers().getLast().failure()).contains("locked");
        }
    }

    private static List<String> states(StorageEngine engine) {
        return engine.stats().consumers().stream()
                .map(consumer -> consumer.name() + " " + consumer.state() + " " + consumer.behind()).toList();
    }

    /** The words name the damage, not what SQLite says about a statement that failed before. */
    @Test
    void aMirrorThatIsCutWhileItIsWrittenIsCalledDamaged() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 5_000);
            engine.sync().join();
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = other.createStatement()) {
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
                statement.execute("VACUUM");
                statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
            }
            try (FileChannel file = FileChannel.open(mirror(), StandardOpenOption.WRITE)) {
                file.truncate(file.size() / 2);
            }
            learn(engine, 0, 5_000);
            for (int i = 0; i < 3; i++) {
                assertThat(engine.attached(MirrorFeeder.class).orElseThrow().sync()).failsWithin(Duration.ofMinutes(1))
                        .withThrowableOfType(Exception.class).withMessageContaining(mirror().toString())
                        .withMessageContaining("weir mirror builds it again");
            }
            assertThat(engine.stats().troubles()).extracting(Trouble::reason).contains("the mirror is damaged");
            assertThat(engine.find(Samples.digest(7)).getFirst().value()).isEqualTo(16);
        }
    }

    /** The log must not refuse updates for a mirror, so it gives up the mirror, which is built again. */
    @Test
    void aMirrorThatFallsBehindIsBuiltAgain() throws Exception {
        LogLimits limits = new LogLimits(64 << 10, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (StorageEngine engine = start(limits, mirror())) {
            learn(engine, 0, 10);
            engine.sync().join();
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                for (int n = 10; n < 10_010; n += 500) {
                    learn(engine, n, n + 500);
                    // Without the mirror, whose turns take seconds while it is locked.
                    engine.checkpointer().sync().join();
                }
                statement.execute("ROLLBACK");
            }
            await("the mirror has everything").atMost(Duration.ofSeconds(90))
                    .until(() -> engine.stats().unmirrored().orElseThrow() == 0);
            assertThat(inMirror()).containsExactly(10_010, 10_010L * 10_011 / 2);
            assertThat(engine.stats().hashes()).isEqualTo(10_010);
            assertThat(engine.stats().updates().failed()).isZero();
            assertThat(engine.stats().troubles()).isEmpty();
        }
    }

    @Test
    void aMirrorThatWasLostIsBuiltAgain() throws Exception {
        LogLimits limits = new LogLimits(64 << 10, 1 << 20, 0, Duration.ZERO, 0, LogLimits.REPEATS);
        try (StorageEngine engine = start(limits, scratch.resolve("other.db"))) {
            for (int n = 0; n < 4_000; n += 500) {
                learn(engine, n, n + 500);
                engine.sync().join();
            }
        }
        // The log no longer has the first updates.
        try (StorageEngine engine = start(limits, mirror())) {
            learn(engine, 4_000, 4_100);
        }
        // The stop has waited for the build.
        assertThat(inMirror()).containsExactly(4_100, 4_100L * 4_101 / 2);
    }

    /** Until SQLite moves the tables to the database file, they are only in the write-ahead log beside it. */
    @Test
    void aMirrorWithoutItsWriteAheadLogIsBuiltAgain() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 20);
            engine.sync().join();
            Path copy = Files.copy(mirror(), scratch.resolve("copy.db"));
            try (StorageView view = new SqliteFile(copy).view()) {
                assertThat(view.count()).as("its tables are in the log of SQLite").isZero();
            }
            Files.delete(scratch.resolve("fuzzy.db-wal"));
            Files.delete(scratch.resolve("fuzzy.db-shm"));
            Files.move(copy, mirror(), StandardCopyOption.REPLACE_EXISTING);
            engine.sync().join();
            assertThat(inMirror()).containsExactly(20, 20 * 21 / 2);
            assertThat(engine.stats().troubles()).isEmpty();
        }
    }

    /**
     * A store that lost updates, here because an old copy of the folder took its place, writes other updates under
     * their numbers. The mirror, which may have the only copy of the lost ones, must not follow these, neither before
     * nor after the store has passed its revision.
     */
    @Test
    void aMirrorWithLostUpdatesStaysAsItIsUntilItIsBuiltAgain() throws Exception {
        Path data = scratch.resolve("data");
        try (StorageEngine engine = start()) {
            learn(engine, 0, 100);
        }
        Path old = scratch.resolve("old");
        Folders.copy(data, old);
        try (StorageEngine engine = start()) {
            learn(engine, 100, 150);
        }
        long[] before = {150, 150 * 151 / 2};
        assertThat(inMirror()).isEqualTo(before);
        Files.move(data, scratch.resolve("lost"));
        Files.move(old, data);
        try (StorageEngine engine = start()) {
            assertDiverged(engine, "updates that the store has lost");
            learn(engine, 1_000, 1_100);
            assertDiverged(engine, "not those of the store");
        }
        assertThat(inMirror()).isEqualTo(before);
        try (StorageEngine engine = start()) {
            assertDiverged(engine, "not those of the store");
            assertThat(inMirror()).isEqualTo(before);
            MirrorBuild.run(data, mirror(), InstantSource.system(), new Moves.Quiet());
            engine.sync().join();
            assertThat(engine.stats().troubles()).isEmpty();
            learn(engine, 1_100, 1_110);
        }
        assertThat(MirrorComparison.run(data, mirror())).isEmpty();
        assertThat(inMirror()[0]).isEqualTo(210);
    }

    private static void assertDiverged(StorageEngine engine, String why) {
        assertThat(engine.sync()).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class)
                .withMessageContaining(why).withMessageContaining("weir mirror");
        assertThat(engine.stats().troubles()).singleElement()
                .satisfies(trouble -> assertThat(trouble.detail()).contains(why));
    }

    @Test
    void aRunningStorageGoesOnWithTheMirrorThatIsPutInItsPlace() throws Exception {
        try (StorageEngine engine = start()) {
            learn(engine, 0, 100);
            engine.sync().join();
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = connection.createStatement()) {
                statement.execute("DELETE FROM digests");
            }
            MirrorBuild.run(scratch.resolve("data"), mirror(), InstantSource.system(), new Moves.Quiet());
            learn(engine, 100, 200);
            engine.sync().join();
            assertThat(inMirror()).containsExactly(200, 200 * 201 / 2);
            assertThat(engine.stats().troubles()).isEmpty();
        }
        assertThat(MirrorComparison.run(scratch.resolve("data"), mirror())).isEmpty();
    }

    @Test
    void aForeignDatabaseStaysAsItIs() throws Exception {
        Path other = scratch.resolve("other");
        Path its = other.resolve(DataFolder.DATABASE);
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT,
                CarryOver.open(other, Optional.of(its), StartProgress.NONE))) {
            learn(engine, 0, 5);
        }
        Files.copy(other.resolve(DataFolder.DATABASE), mirror());
        try (StorageEngine engine = start()) {
            learn(engine, 0, 20);
            assertThat(engine.stats().troubles()).singleElement()
                    .satisfies(trouble -> assertThat(trouble.detail()).contains("another storage"));
        }
        assertThat(inMirror()).containsExactly(5, 15);
    }

    /** The command restore of SQLite replaces the content of the file that the storage has open. */
    @Test
    void aDatabaseThatIsRestoredIntoTheOpenMirrorStaysAsItIs() throws Exception {
        Path other = scratch.resolve("other");
        Path its = other.resolve(DataFolder.DATABASE);
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT,
                CarryOver.open(other, Optional.of(its), StartProgress.NONE))) {
            learn(engine, 10, 15);
        }
        try (StorageEngine engine = start()) {
            // As many updates as the other one has, so that the numbers tell nothing.
            learn(engine, 0, 5);
            engine.sync().join();
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("restore from " + its);
            }
            learn(engine, 5, 20);
            assertThat(engine.sync()).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("another storage");
            assertThat(engine.stats().hashes()).isEqualTo(20);
            assertThat(engine.stats().troubles()).singleElement()
                    .satisfies(trouble -> assertThat(trouble.detail()).contains("another storage"));
        }
        assertThat(inMirror()).containsExactly(5, 11 + 12 + 13 + 14 + 15);
    }

    /** An old copy of the mirror itself gets the updates that it lacks. */
    @Test
    void anOldCopyThatIsRestoredIntoTheOpenMirrorCatchesUp() throws Exception {
        Path copy = scratch.resolve("copy.db");
        try (StorageEngine engine = start()) {
            learn(engine, 0, 5);
            engine.sync().join();
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("backup to " + copy);
                learn(engine, 5, 10);
                engine.sync().join();
                statement.executeUpdate("restore from " + copy);
            }
            learn(engine, 10, 20);
            engine.sync().join();
            assertThat(inMirror()).containsExactly(20, 20 * 21 / 2);
            assertThat(engine.stats().troubles()).isEmpty();
        }
    }

    @Test
    void aMirrorThatCannotBeWrittenIsNoReasonToStop() throws Exception {
        Path absent = scratch.resolve("absent").resolve("fuzzy.db");
        try (StorageEngine engine = start(LogLimits.DEFAULT, absent)) {
            learn(engine, 0, 20);
            assertThat(engine.stats().troubles()).singleElement()
                    .satisfies(trouble -> assertThat(trouble.reason()).contains("mirror"));
        }
    }
}
