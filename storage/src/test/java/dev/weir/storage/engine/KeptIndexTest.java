package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.model.KeyedHash;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.SqliteStore;
import dev.weir.storage.backend.sqlite.Writable;
import dev.weir.storage.index.HashIndex;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that a start uses the index of the last stop if, and only if, it matches the database. */
class KeptIndexTest {
    private static final int HASHES = 40;

    @TempDir
    Path scratch = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void verifiesAStoppedStorage() throws Exception {
        folder = scratch.resolve("data");
        try (StorageEngine engine = start(folder)) {
            for (int i = 0; i < HASHES; i++) {
                write(engine, i, 10 + i);
            }
        }
    }

    private static StorageEngine start(Path folder) throws StorageException {
        return StorageEngine.start(EngineConfig.DEFAULT, FolderStore.open(folder));
    }

    private static void write(StorageEngine engine, int number, int weight) {
        engine.apply(Samples.write(number, 1, weight, Instant.now().getEpochSecond(), Samples.signature(number)))
                .join();
    }

    private Path index() {
        return folder.resolve(DataFolder.INDEX);
    }

    private Path database() {
        return folder.resolve(DataFolder.DATABASE);
    }

    /** Changes a value without the storage, and optionally hides that. */
    private void change(boolean hidden) throws Exception {
        FileTime before = Files.getLastModifiedTime(database());
        try (Connection connection = Writable.open(database()); Statement statement = connection.createStatement()) {
            statement.execute("UPDATE digests SET value = 99");
        }
        Files.setLastModifiedTime(database(), hidden ? before : FileTime.fromMillis(before.toMillis() + 5));
    }

    private long value(int number) throws Exception {
        try (StorageEngine engine = start(folder)) {
            assertThat(engine.stats().hashes()).isEqualTo(HASHES);
            return engine.find(Samples.digest(number)).getFirst().value();
        }
    }

    @Test
    void replacesLoadingTheDatabase() throws Exception {
        // Nothing else distinguishes the two cases from outside.
        change(true);
        assertThat(value(3)).isEqualTo(13);
        assertThat(value(4)).isEqualTo(14);
    }

    @Test
    void isIgnoredIfTheDatabaseHasChanged() throws Exception {
        change(false);
        assertThat(value(3)).isEqualTo(99);
        // The stop has left another snapshot.
        assertThat(value(4)).isEqualTo(99);
        change(true);
        assertThat(value(5)).isEqualTo(99);
    }

    @Test
    void isIgnoredIfDamaged() throws Exception {
        change(true);
        byte[] bytes = Files.readAllBytes(index());
        bytes[bytes.length / 2] ^= 1;
        Files.write(index(), bytes);
        assertThat(value(3)).isEqualTo(99);
    }

    @Test
    void isIgnoredIfTheDatabaseHasPendingChanges() throws Exception {
        change(true);
        Files.write(folder.resolve(DataFolder.DATABASE + "-wal"), new byte[1]);
        assertThat(value(3)).isEqualTo(99);
    }

    @Test
    void canBeMadeBeforeTheFirstStart() throws Exception {
        Files.delete(index());
        List<String> told = new ArrayList<>();
        try (FolderStore store = FolderStore.open(folder)) {
            KeptIndex.prepare(store, new StartProgress() {
                @Override
                public void loading(long hashes, long of) {
                    told.add(hashes + " of " + of);
                }

                @Override
                public void reading(long bytes, long of) {
                    throw new AssertionError("there was no index to read");
                }

                @Override
                public void carrying(long hashes, long of) {
                    throw new AssertionError("there is no store");
                }
            });
        }
        assertThat(told).containsExactly(HASHES + " of " + HASHES);
        change(true);
        assertThat(value(3)).isEqualTo(13);
    }

    @Test
    void findsEveryHashAfterACrash() throws Exception {
        Path copy = scratch.resolve("crashed");
        try (StorageEngine engine = start(folder)) {
            write(engine, 1, 1_000);
            copy(folder, copy);
            engine.sync().get();
            write(engine, 2, 1_000);
            copy(folder, scratch.resolve("later"));
        }
        folder = copy;
        assertThat(value(1)).isEqualTo(1011);
        folder = scratch.resolve("later");
        assertThat(value(1)).isEqualTo(1011);
        assertThat(value(2)).isEqualTo(1012);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (Files.isRegularFile(file)) {
                    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    @Test
    void isNotWrittenWithoutRoom() throws Exception {
        Files.delete(index());
        KeptIndex kept = new KeptIndex(new SqliteStore(database()), new SnapshotFile(index()));
        kept.write(new HashIndex(KeyedHash.random()), 1, 1, Long.MAX_VALUE / 2);
        assertThat(index()).doesNotExist();
        kept.write(new HashIndex(KeyedHash.random()), 1, 1, 0);
        assertThat(index()).exists();
    }
}
