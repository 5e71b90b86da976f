package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
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

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.storage.transfer.Moves;
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
    void neverReplacesAFile() throws Exception {
        try (StorageEngine engine = start(Optional.empty(), Duration.ofHours(1))) {
            fill(engine, 0, 10);
        }
        Files.writeString(mirror(), "precious");
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> MirrorBuild.run(data(), mirror(), CLOCK, new Moves.Quiet()))
                .withMessageContaining("exists");
        assertThat(mirror()).hasContent("precious");
    }
}
