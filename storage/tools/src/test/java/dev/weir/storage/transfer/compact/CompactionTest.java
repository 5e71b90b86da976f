package dev.weir.storage.transfer.compact;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.FolderInUseException;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.storage.StorageSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class CompactionTest {
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(1_800_000_000L);
    private static final long NOW = CLOCK.millis() / 1_000;
    private static final int HASHES = 2_000;

    /** One of this many hashes stays. */
    private static final int KEPT = 10;

    @TempDir
    private Path data;

    private static StorageEngine start(Path folder) throws StorageException {
        return StorageEngine.start(EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                LogLimits.DEFAULT, CLOCK), EngineFolder.open(folder));
    }

    private static void apply(StorageEngine engine, List<Update> updates) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        updates.forEach(update -> all.add(engine.apply(update)));
        all.forEach(CompletableFuture::join);
    }

    private static List<StoredHash> content(Path folder) throws StorageException {
        return Moves.all(StorageSource.open(folder), new Omissions());
    }

    private static Compaction compact(Path folder) throws StorageException {
        return Compaction.run(folder, CLOCK, StartProgress.NONE);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @BeforeEach
    void learnAndRemove() throws StorageException {
        try (StorageEngine engine = start(data)) {
            List<Update> updates = new ArrayList<>();
            for (int n = 0; n < HASHES; n++) {
                updates.add(Samples.write(n, 1 + n % 3, 5 + n, NOW, n % 4 == 0 ? null : Samples.signature(n)));
                if (n % 7 == 0) {
                    updates.add(Samples.write(n, 300, 2, NOW, null));
                }
            }
            apply(engine, updates);
            engine.sync().join();
            List<Update> removals = new ArrayList<>();
            for (int n = 0; n < HASHES; n++) {
                if (n % KEPT != 0) {
                    removals.add(new Update.DeleteAll(Samples.digest(n)));
                }
            }
            apply(engine, removals);
        }
    }

    @Test
    void givesBackTheSpaceOfRemovedHashesAndKeepsTheOthers() throws Exception {
        List<StoredHash> before = content(data);
        Compaction done = compact(data);
        assertThat(done.hashes()).isEqualTo(HASHES / KEPT);
        assertThat(done.after()).isLessThan(done.before() / 4);
        assertThat(content(data)).containsExactlyInAnyOrderElementsOf(before);
        // The log goes on where it was.
        try (StorageEngine engine = start(data)) {
            assertThat(engine.stats().hashes()).isEqualTo(HASHES / KEPT);
            apply(engine, List.of(Samples.write(1, 1, 9, NOW, Samples.signature(1))));
        }
        assertThat(content(data)).hasSize(HASHES / KEPT + 1).containsAll(before);
        try (Stream<Path> files = Files.list(data)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .filteredOn(name -> name.startsWith("store")).containsExactly(DataFolder.STORE);
        }
    }

    /** An interrupted export to Redis continues by this number, and the hashes have other positions now. */
    @Test
    void neverUsesTheNumberOfACheckpointAgain() throws Exception {
        long before;
        try (StorageSource source = StorageSource.open(data)) {
            before = source.fingerprint();
        }
        compact(data);
        try (StorageSource source = StorageSource.open(data)) {
            assertThat(source.fingerprint()).isNotEqualTo(before);
        }
        long number;
        try (StorageSource source = StorageSource.open(data)) {
            number = source.number();
        }
        compact(data);
        try (StorageSource source = StorageSource.open(data)) {
            assertThat(source.number()).isGreaterThan(number);
        }
    }

    /** The states that a crash leaves, step by step. */
    @Test
    void aCrashLeavesTheOldStoreOrTheNewOne(@TempDir Path scratch) throws Exception {
        List<StoredHash> before = content(data);
        Path compacted = scratch.resolve("compacted");
        copy(data, compacted);
        compact(compacted);
        Path store = Path.of(DataFolder.STORE);

        Path unfinished = scratch.resolve("unfinished");
        copy(data, unfinished);
        copy(compacted.resolve(store), unfinished.resolve("store.compacting"));
        Files.delete(unfinished.resolve("store.compacting").resolve("manifest"));

        Path complete = scratch.resolve("complete");
        copy(data, complete);
        copy(compacted.resolve(store), complete.resolve("store.compacted"));

        Path between = scratch.resolve("between");
        copy(complete, between);
        Files.move(between.resolve(store), between.resolve("store.replaced"));

        Path named = scratch.resolve("named");
        copy(between, named);
        Files.move(named.resolve("store.compacted"), named.resolve(store));

        for (Path folder : List.of(unfinished, complete, between, named)) {
            assertThat(DataFolder.hasStore(folder)).isTrue();
            try (StorageEngine engine = start(folder)) {
                assertThat(engine.stats().hashes()).as(folder.toString()).isEqualTo(before.size());
                apply(engine, List.of(Samples.write(1, 1, 9, NOW, null)));
            }
            assertThat(content(folder)).as(folder.toString()).hasSize(before.size() + 1).containsAll(before);
            try (Stream<Path> files = Files.list(folder)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .filteredOn(name -> name.startsWith("store"))
                        .as(folder.toString()).containsExactly(DataFolder.STORE);
            }
        }
    }

    /** A store that waited for its name may be stale, and the one in its place may lack what another one has. */
    @Test
    void aStaleStoreIsNeitherPutInPlaceNorDeleted(@TempDir Path scratch) throws Exception {
        List<StoredHash> before = content(data);
        Path other = scratch.resolve("other");
        try (StorageEngine engine = start(other)) {
            apply(engine, List.of(Samples.write(1, 1, 9, NOW, null)));
        }
        Path store = Path.of(DataFolder.STORE);

        // Between the two renames, a store of another storage is in the place of the complete one.
        Path foreign = scratch.resolve("foreign");
        copy(data, foreign);
        Files.move(foreign.resolve(store), foreign.resolve("store.replaced"));
        copy(other.resolve(store), foreign.resolve("store.compacted"));
        try (StorageEngine engine = start(foreign)) {
            assertThat(engine.stats().hashes()).isEqualTo(before.size());
        }
        assertThat(foreign.resolve("kept-aside/store.compacted/manifest")).exists();

        // The complete store is damaged, so the old one comes back.
        Path damaged = scratch.resolve("damaged");
        copy(data, damaged);
        copy(data.resolve(store), damaged.resolve("store.compacted"));
        Files.move(damaged.resolve(store), damaged.resolve("store.replaced"));
        Files.write(damaged.resolve("store.compacted/manifest"), new byte[6_144]);
        try (StorageEngine engine = start(damaged)) {
            assertThat(engine.stats().hashes()).isEqualTo(before.size());
        }

        // An older store came into the folder before the replaced one was deleted.
        Path older = scratch.resolve("older");
        copy(data, older);
        try (StorageEngine engine = start(data)) {
            apply(engine, List.of(Samples.write(1, 1, 9, NOW, null)));
        }
        copy(data.resolve(store), older.resolve("store.replaced"));
        copy(data.resolve(store), older.resolve("store.compacted"));
        start(older).close();
        assertThat(older.resolve("kept-aside/store.replaced/manifest")).exists();
        assertThat(older.resolve("kept-aside/store.compacted/manifest")).exists();
    }

    /** The older store counts while the log completes it; the newer one stays until that has happened. */
    @Test
    void aReplacedStoreGoesWhenTheLogHasCompletedTheOtherOne(@TempDir Path scratch) throws Exception {
        Path old = scratch.resolve("old");
        copy(data.resolve(DataFolder.STORE), old);
        learn(1);
        learn(2);
        start(data).close();
        List<StoredHash> all = content(data);
        Path store = data.resolve(DataFolder.STORE);
        Files.move(store, data.resolve("store.replaced"));
        copy(old, store);
        try (StorageEngine engine = start(data)) {
            assertThat(engine.stats().hashes()).isEqualTo(all.size());
            assertThat(data.resolve("store.replaced/manifest")).exists();
        }
        assertThat(content(data)).containsExactlyInAnyOrderElementsOf(all);
        start(data).close();
        assertThat(data.resolve("store.replaced")).doesNotExist();
        assertThat(data.resolve("kept-aside")).doesNotExist();
    }

    /** Only the store from which the log goes on has all updates, whatever its name is. */
    @Test
    void theStoreFromWhichTheLogGoesOnCounts(@TempDir Path scratch) throws Exception {
        Path old = scratch.resolve("old");
        copy(data.resolve(DataFolder.STORE), old);
        learn(1);
        learn(2);
        List<StoredHash> all = content(data);
        Path updates = data.resolve(DataFolder.UPDATES);
        try (Stream<Path> files = Files.list(updates)) {
            List<Path> segments = files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
            for (Path segment : segments.subList(0, segments.size() - 1)) {
                Files.delete(segment);
            }
        }
        Path store = Path.of(DataFolder.STORE);
        Path named = scratch.resolve("named");
        copy(data, named);
        Files.move(named.resolve(store), named.resolve("store.replaced"));
        copy(old, named.resolve(store));

        Path between = scratch.resolve("between");
        copy(data, between);
        Files.move(between.resolve(store), between.resolve("store.replaced"));
        copy(old, between.resolve("store.compacted"));

        Path damaged = scratch.resolve("damaged");
        copy(named, damaged);
        Files.write(damaged.resolve(store).resolve("manifest"), new byte[6_144]);

        Path missing = scratch.resolve("missing");
        copy(named, missing);
        Files.delete(missing.resolve(store).resolve("manifest"));
        for (Path folder : List.of(named, between, damaged, missing)) {
            try (StorageEngine engine = start(folder)) {
                assertThat(engine.stats().hashes()).as(folder.toString()).isEqualTo(all.size());
            }
            assertThat(content(folder)).as(folder.toString()).containsExactlyInAnyOrderElementsOf(all);
            String kept = folder.equals(between) ? "kept-aside/store.compacted" : "kept-aside/store";
            assertThat(folder.resolve(kept)).exists();
        }
    }

    private void learn(int n) throws StorageException {
        try (StorageEngine engine = start(data)) {
            apply(engine, List.of(Samples.write(n, 1, 9, NOW, null)));
        }
    }

    @Test
    void refusesWithoutRoomAndBesideAStorage() throws Exception {
        List<StoredHash> before = content(data);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Compaction.run(data, CLOCK, StartProgress.NONE, _ -> 1_000_000))
                .withMessageContaining("MiB beside the old one, and the disk has 0 MiB left");
        try (StorageEngine engine = start(data)) {
            assertThat(engine.stats().hashes()).isEqualTo(before.size());
            assertThatExceptionOfType(FolderInUseException.class).isThrownBy(() -> compact(data));
        }
        assertThat(content(data)).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void refusesADamagedStore() throws Exception {
        Path slots = data.resolve(DataFolder.STORE).resolve("signed.slots");
        byte[] bytes = Files.readAllBytes(slots);
        for (int i = 0; i < bytes.length; i += 100) {
            bytes[i] ^= 1;
        }
        Files.write(slots, bytes);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> compact(data))
                .withMessageContaining("weir repair");
        assertThat(data.resolve("store.compacting")).doesNotExist();
    }
}
