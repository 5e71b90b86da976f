package dev.weir.storage.engine;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.brake.WaitingRemoval;
import dev.weir.storage.folder.FolderView;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Nothing expires on the word of the file clock, and nothing in masses because a setting changed. */
@Timeout(120)
class ExpirySafetyTest {
    private static final long YEAR = Duration.ofDays(365).toMillis();

    @TempDir
    private Path folder;

    private static long now() {
        return InstantSource.system().millis();
    }

    private StorageEngine start(Duration expire) throws StorageException {
        return StorageEngine.start(EngineConfig.of(expire, Duration.ofSeconds(1), Acknowledge.DURABLE,
                LogLimits.DEFAULT, InstantSource.system()), EngineFolder.open(folder));
    }

    private StorageEngine start() throws StorageException {
        return start(Duration.ofDays(90));
    }

    private void learn(int hashes, long seconds) throws StorageException {
        try (StorageEngine engine = start()) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int n = 0; n < hashes; n++) {
                all.add(engine.apply(Samples.write(n, 1, 1, seconds, null)));
            }
            all.forEach(CompletableFuture::join);
        }
    }

    private Path clock() {
        return folder.resolve(DataFolder.CLOCK);
    }

    private List<Path> aside() throws Exception {
        Path aside = folder.resolve(DataFolder.ASIDE);
        if (!Files.exists(aside)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(aside)) {
            return files.toList();
        }
    }

    @Test
    void aFlippedBitInTheClockExpiresNothing() throws Exception {
        learn(500, now() / 1_000);
        int bytes = Files.readAllBytes(clock()).length;
        for (int i = 0; i < bytes; i += 3) {
            byte[] content = Files.readAllBytes(clock());
            content[i] ^= (byte) (1 << i % 7);
            Files.write(clock(), content);
            int kept = aside().size();
            try (StorageEngine engine = start()) {
                assertThat(engine.sweep().join()).isZero();
                assertThat(engine.stats().hashes()).isEqualTo(500);
                assertThat(engine.stats().clockDoubt()).isEmpty();
                assertThat(engine.stats().troubles()).extracting(Trouble::reason)
                        .containsExactly("the file clock is damaged or of another storage");
                assertThat(engine.stats().troubles().getFirst().detail()).as("the next step")
                        .contains("goes on without it", "dmesg");
            }
            assertThat(aside()).hasSize(kept + 1);
        }
    }

    @Test
    void aClockWithoutAChecksumIsNotBelieved() throws Exception {
        learn(500, now() / 1_000);
        // The first digit of the file of an earlier version, with one bit changed.
        Files.writeString(clock(), "weir clock 1\n" + (now() + 200 * YEAR) + "\n");
        try (StorageEngine engine = start()) {
            assertThat(engine.sweep().join()).isZero();
            assertThat(engine.stats().hashes()).isEqualTo(500);
            assertThat(engine.stats().troubles()).isEmpty();
        }
        assertThat(Files.readString(clock())).startsWith("weir-state clock 2 ");
    }

    @Test
    void aSoundClockAheadOfTheLogExpiresNothing() throws Exception {
        learn(500, now() / 1_000);
        long id = FolderView.storageId(folder);
        new LastRun(now() + YEAR, OptionalLong.empty()).write(new StateFiles(folder, Instant::now), id);
        try (StorageEngine engine = start()) {
            assertThat(engine.sweep().join()).isZero();
            assertThat(engine.stats().hashes()).isEqualTo(500);
            assertThat(engine.stats().clockDoubt()).isEmpty();
            engine.trustClock();
        }
        assertThat(Files.readString(clock(), StandardCharsets.US_ASCII).split("\n", -1)[1])
                .startsWith(Long.toString(now()).substring(0, 7));
    }

    @Test
    void aShorterExpireWaitsForTheOperator() throws Exception {
        learn(1_500, now() / 1_000 - 3_600);
        String id;
        try (StorageEngine engine = start(Duration.ofSeconds(60))) {
            assertThatThrownBy(() -> engine.sweep().join()).isInstanceOf(CompletionException.class)
                    .hasMessageContaining("the removal of 1500 hashes waits for an operator");
            assertThat(engine.stats().hashes()).isEqualTo(1_500);
            List<WaitingRemoval> waiting = engine.brake().waiting();
            assertThat(waiting).singleElement().satisfies(one -> assertThat(one.sentence())
                    .contains(" would remove 1500 of 1500 hashes: they are older than expire (60 s) allows"));
            id = waiting.getFirst().id();
            assertThat(engine.stats().troubles()).extracting(Trouble::reason)
                    .contains("a removal of many hashes waits for an operator");
            // The operator mends the setting.
            engine.reconfigure(Duration.ofDays(90), Duration.ofSeconds(1));
            assertThat(engine.sweep().join()).isZero();
            assertThat(engine.brake().waiting()).isEmpty();
            assertThat(engine.find(Samples.digest(7))).hasSize(1);
        }
        try (StorageEngine engine = start(Duration.ofSeconds(60))) {
            assertThatThrownBy(() -> engine.sweep().join()).hasMessageContaining("waits");
            assertThat(engine.brake().confirm(id)).as("the removal of an earlier run").isEmpty();
            assertThat(engine.brake().confirm(engine.brake().waiting().getFirst().id())).isPresent();
            engine.sweep().join();
            assertThat(engine.stats().hashes()).isZero();
            assertThat(engine.stats().updates().expired()).isEqualTo(1_500);
        }
    }

    @Test
    void aNodeWhoseClockDiffersFromAnotherOneExpiresNothing() throws Exception {
        try (StorageEngine engine = start()) {
            engine.clock().heard("the leader 192.0.2.1:11336", now() - YEAR, false);
            engine.apply(Samples.write(1, 1, 1, (now() - YEAR) / 1_000, null)).join();
            assertThat(engine.sweep().join()).isZero();
            assertThat(engine.stats().troubles()).extracting(Trouble::reason)
                    .containsExactly("the clock of this machine differs from another one");
            engine.clock().heard("the leader 192.0.2.1:11336", now(), false);
            assertThat(engine.sweep().join()).isOne();
        }
    }
}
