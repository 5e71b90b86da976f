package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.sqlite.FolderTarget;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CarryOverTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final long NOW = CLOCK.millis() / 1_000;
    private static final int HASHES = 1_000;
    private static final int CHECKPOINT = 100;

    /** The time between two transactions of a database that gets none before the test ends. */
    private static final Duration NEVER = Duration.ofHours(1);

    @TempDir
    private Path scratch;

    /** Hashes with and without signatures, which share shingles with others, and with one, two or unusual flags. */
    private static List<StoredHash> hashes(int from, int to) {
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = from; n < to; n++) {
            List<FlagValue> flags = new ArrayList<>(List.of(new FlagValue(1 + n % 3, 10 + n, NOW - n)));
            if (n % 5 == 0) {
                flags.add(new FlagValue(n % 2 == 0 ? 7 : 3_000_000, -5, NOW));
            }
            hashes.add(new StoredHash(Samples.digest(n), flags, signature(n), n % 7 == 0 ? NOW : 0));
        }
        return hashes;
    }

    private static @Nullable Signature signature(int n) {
        return switch (n % 4) {
            case 0 -> null;
            case 1 -> Hashes.partial(n, 0xffff_0fff);
            case 2 -> Hashes.near(n, n / 10, Signature.ALL_SLOTS);
            default -> Samples.signature(n);
        };
    }

    private Path weirs(List<StoredHash> hashes) throws StorageException {
        Path folder = scratch.resolve("data");
        Moves.run(Moves.of(hashes), FolderTarget.open(folder, CLOCK), Merge.MAX);
        return folder;
    }

    private static EngineConfig config(Duration sync) {
        return EngineConfig.of(Duration.ofDays(90), sync, Acknowledge.DURABLE, LogLimits.DEFAULT, CLOCK);
    }

    private static StorageEngine start(Path folder, Optional<Path> mirror) throws StorageException {
        return StorageEngine.start(config(Duration.ofSeconds(1)), CarryOver.open(folder, mirror, StartProgress.NONE));
    }

    private static void check(StorageEngine engine, List<StoredHash> hashes) {
        assertThat(engine.stats().hashes()).isEqualTo(hashes.size());
        for (StoredHash hash : hashes) {
            assertThat(engine.find(hash.digest())).containsExactlyInAnyOrderElementsOf(hash.flags());
        }
    }

    @Test
    void takesEveryHashOfADatabaseOfWeir() throws Exception {
        List<StoredHash> hashes = hashes(0, HASHES);
        Path folder = weirs(hashes);
        for (int run = 0; run < 2; run++) {
            try (StorageEngine engine = start(folder, Optional.empty())) {
                check(engine, hashes);
            }
        }
        // The database has what it had.
        assertThat(Moves.all(SqliteSource.open(folder.resolve(DataFolder.DATABASE)), new Omissions()))
                .containsExactlyInAnyOrderElementsOf(hashes);
        assertThat(folder.resolve("store.unfinished")).doesNotExist();
    }

    @Test
    void takesEveryHashOfADatabaseOfRspamd() throws Exception {
        List<StoredHash> hashes = Hashes.inRspamdsTables(hashes(0, HASHES));
        Path folder = Files.createDirectory(scratch.resolve("rspamd"));
        Path database = folder.resolve(DataFolder.DATABASE);
        Moves.run(Moves.of(hashes), RspamdFileTarget.create(database, false, CLOCK), Merge.MAX);
        byte[] before = Files.readAllBytes(database);
        try (StorageEngine engine = start(folder, Optional.empty())) {
            check(engine, hashes);
        }
        assertThat(Files.readAllBytes(database)).isEqualTo(before);
    }

    @Test
    void appliesTheUpdatesThatTheDatabaseLacks() throws Exception {
        Path folder = scratch.resolve("data");
        Path killed = scratch.resolve("killed");
        try (StorageEngine engine = StorageEngine.start(config(NEVER), FolderStore.open(folder))) {
            learn(engine, 0, 50);
            engine.sync().join();
            learn(engine, 50, 120);
            copy(folder, killed);
        }
        try (StorageEngine engine = start(killed, Optional.empty())) {
            assertThat(engine.stats().hashes()).isEqualTo(120);
            assertThat(engine.stats().revision()).isEqualTo(120);
            assertThat(engine.find(Samples.digest(119))).containsExactly(new FlagValue(1, 120, NOW));
        }
    }

    private static void learn(StorageEngine engine, int from, int to) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int n = from; n < to; n++) {
            all.add(engine.apply(Samples.write(n, 1, n + 1, NOW, Samples.signature(n))));
        }
        all.forEach(CompletableFuture::join);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    /** The death of the process, for this test. */
    private static final class StoppedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Stops a carry-over after a part of the hashes, and records the number of hashes that were left at the start. */
    private static final class Stopping implements StartProgress {
        private final long at;
        private long left = -1;

        Stopping(long at) {
            this.at = at;
        }

        @Override
        public void loading(long hashes, long of) {
            // Only a carry-over counts.
        }

        @Override
        public void reading(long bytes, long of) {
            // Only a carry-over counts.
        }

        @Override
        public void carrying(long hashes, long of) {
            if (left < 0) {
                left = of;
            }
            if (hashes >= at) {
                throw new StoppedException();
            }
        }
    }

    private static void interrupt(Path folder, long at) {
        assertThatExceptionOfType(StoppedException.class).isThrownBy(
                () -> CarryOver.open(folder, Optional.empty(), new Stopping(at), CHECKPOINT, CHECKPOINT));
        assertThat(folder.resolve(DataFolder.STORE)).doesNotExist();
    }

    @Test
    void continuesAfterAnInterruption() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        Stopping watched = new Stopping(Long.MAX_VALUE);
        try (StorageEngine engine = StorageEngine.start(config(NEVER),
                CarryOver.open(folder, Optional.empty(), watched, CHECKPOINT, CHECKPOINT))) {
            check(engine, hashes);
        }
        assertThat(watched.left).isBetween(1L, 4L * HASHES);
    }

    @Test
    void startsOverWhenTheDatabaseHasChanged() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        try (StorageEngine engine = StorageEngine.start(config(NEVER), FolderStore.open(folder))) {
            engine.apply(Samples.write(0, 1, 1_000, NOW, null)).join();
        }
        try (StorageEngine engine = start(folder, Optional.empty())) {
            assertThat(engine.stats().hashes()).isEqualTo(hashes.size());
            assertThat(engine.find(Samples.digest(0))).contains(new FlagValue(1, 1_010, NOW));
        }
    }

    @Test
    void aDamagedPositionStartsOver() throws Exception {
        List<StoredHash> hashes = hashes(0, 5 * HASHES);
        Path folder = weirs(hashes);
        interrupt(folder, 2 * HASHES);
        Files.writeString(folder.resolve("store.unfinished").resolve("carry-over"), "x");
        try (StorageEngine engine = start(folder, Optional.empty())) {
            check(engine, hashes);
        }
    }

    @Test
    void refusesAForeignDatabaseAndReleasesTheFolder() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("data"));
        Files.writeString(folder.resolve(DataFolder.DATABASE), "no database");
        for (int i = 0; i < 2; i++) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> CarryOver.open(folder, Optional.empty(), StartProgress.NONE))
                    .withMessageContaining(DataFolder.DATABASE);
        }
    }

    @Test
    void otherwiseTheFolderMustFit() throws Exception {
        Path folder = weirs(hashes(0, 10));
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> FolderStore.open(folder, BackendKind.STORE))
                .withMessageContaining("weir serve");
    }
}
