package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The comparison of a store with its mirror, and the building of the mirror. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MirrorComparisonTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final long NOW = CLOCK.millis() / 1_000;
    private static final int HASHES = 400;

    @TempDir
    private Path scratch;

    private Path data() {
        return scratch.resolve("data");
    }

    private Path mirror() {
        return scratch.resolve("fuzzy.db");
    }

    private StorageEngine start(Optional<Path> mirror, Duration sync) throws StorageException {
        return StorageEngine.start(
                EngineConfig.of(Duration.ofDays(90), sync, Acknowledge.DURABLE, LogLimits.DEFAULT, CLOCK),
                CarryOver.open(data(), mirror, StartProgress.NONE));
    }

    private static void apply(StorageEngine engine, List<Update> updates) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        updates.forEach(update -> all.add(engine.apply(update)));
        all.forEach(CompletableFuture::join);
    }

    /** Hashes with several flags, late signatures, renewals and deletions. */
    private static void fill(StorageEngine engine, int from, int to) {
        List<Update> updates = new ArrayList<>();
        for (int n = from; n < to; n++) {
            updates.add(Samples.write(n, 1 + n % 3, n + 1, NOW, n % 4 == 0 ? null : Samples.signature(n % 50)));
            if (n % 5 == 0) {
                updates.add(Samples.write(n, 9, n % 2 == 0 ? 5 : 5_000, NOW - 10, Samples.signature(n)));
            }
            if (n % 7 == 0) {
                updates.add(new Update.Refresh(Samples.digest(n), NOW + 5));
            }
            if (n % 11 == 0) {
                updates.add(new Update.Delete(Samples.digest(n), 1 + n % 3));
            }
            if (n % 13 == 0) {
                updates.add(new Update.DeleteAll(Samples.digest(n)));
            }
        }
        apply(engine, updates);
    }

    private List<String> differences() throws StorageException {
        return MirrorComparison.run(data(), mirror());
    }

    @Test
    void aMirrorHasTheSameAfterAStop() throws Exception {
        try (StorageEngine engine = start(Optional.of(mirror()), Duration.ofMillis(50))) {
            fill(engine, 0, HASHES);
        }
        assertThat(differences()).isEmpty();
    }

    @Test
    void updatesThatTheMirrorLacksCount() throws Exception {
        try (StorageEngine engine = start(Optional.of(mirror()), Duration.ofHours(1))) {
            fill(engine, 0, HASHES / 2);
            engine.sync().join();
            fill(engine, HASHES / 2, HASHES);
            assertThat(engine.stats().unmirrored().orElseThrow()).isPositive();
            assertThat(differences()).isEmpty();
        }
    }

    @Test
    void namesWhatDiffers() throws Exception {
        try (StorageEngine engine = start(Optional.of(mirror()), Duration.ofMillis(50))) {
            fill(engine, 1, 10);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + mirror());
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE digests SET value = 99 WHERE id = 1")).isOne();
            assertThat(statement.executeUpdate("DELETE FROM digests WHERE id = 2")).isOne();
        }
        assertThat(differences()).hasSize(2)
                .anySatisfy(line -> assertThat(line).contains(Samples.digest(1).hex(), "99"))
                .anySatisfy(line -> assertThat(line).contains(Samples.digest(2).hex(), "missing"));
    }

    @Test
    void aBuiltMirrorIsFollowed() throws Exception {
        try (StorageEngine engine = start(Optional.empty(), Duration.ofHours(1))) {
            fill(engine, 0, HASHES / 2);
            engine.sync().join();
            fill(engine, HASHES / 2, HASHES);
            MirrorBuild.run(data(), mirror(), CLOCK, new Moves.Quiet());
            assertThat(differences()).isEmpty();
            fill(engine, HASHES, HASHES + 20);
        }
        try (StorageEngine engine = start(Optional.of(mirror()), Duration.ofMillis(50))) {
            assertThat(engine.stats().troubles()).isEmpty();
            fill(engine, HASHES + 20, HASHES + 40);
        }
        assertThat(differences()).isEmpty();
        try (Stream<Path> files = Files.list(scratch)) {
            assertThat(files.map(Path::toString)).noneMatch(name -> name.contains("unfinished"));
        }
    }

    @Test
    void replacesNothingButAMirror() throws Exception {
        try (StorageEngine engine = start(Optional.empty(), Duration.ofHours(1))) {
            fill(engine, 0, 10);
        }
        Files.writeString(mirror(), "precious");
        refusesToBuild(mirror(), "cannot be read");
        assertThat(mirror()).hasContent("precious");
        Path others = scratch.resolve("others.db");
        Moves.run(Moves.of(List.of(new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 1, NOW)), null))),
                MirrorTarget.create(others, 5, 0, CLOCK, () -> false), Merge.MAX);
        refusesToBuild(others, "is not a mirror of the store");
        assertThat(Moves.all(SqliteSource.open(others), new Omissions())).hasSize(1);
    }

    private void refusesToBuild(Path place, String why) {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> MirrorBuild.run(data(), place, CLOCK, new Moves.Quiet()))
                .withMessageContaining(why);
    }

    /** The database of the folder, of a stopped storage: the next start takes it for its own. */
    @Test
    void buildsTheDatabaseOfTheFolderAgain() throws Exception {
        Path database = data().resolve(DataFolder.DATABASE);
        try (StorageEngine engine = start(Optional.of(database), Duration.ofMillis(50))) {
            fill(engine, 0, HASHES);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM digests WHERE id < 50");
        }
        // Only Rspamd says which changes are its own, and this one could be.
        refusesToBuild(database, "another program has changed");
        Files.write(database, new byte[100_000]);
        MirrorBuild.run(data(), database, CLOCK, new Moves.Quiet());
        assertThat(MirrorComparison.run(data(), database)).isEmpty();
        FileTime built = Files.getLastModifiedTime(database);
        CarryOver.open(data(), Optional.of(database), StartProgress.NONE).close();
        assertThat(Files.getLastModifiedTime(database)).isEqualTo(built);
        try (StorageEngine engine = start(Optional.of(database), Duration.ofMillis(50))) {
            fill(engine, HASHES, HASHES + 10);
        }
        assertThat(MirrorComparison.run(data(), database)).isEmpty();
    }
}
