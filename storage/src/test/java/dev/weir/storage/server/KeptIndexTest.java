package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.model.KeyedHash;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.backend.sqlite.Writable;
import dev.weir.storage.index.HashIndex;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The index that a stop leaves is used when, and only when, it says what the database says. */
class KeptIndexTest {
    private static final int HASHES = 40;

    @TempDir
    Path scratch = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void aStorageThatWasStopped() throws Exception {
        folder = scratch.resolve("data");
        try (StorageServer server = start(folder); UdpClient client = client(server)) {
            for (int i = 0; i < HASHES; i++) {
                client.write(Samples.digest(i), 1, 10 + i, Samples.shingles(i));
            }
        }
    }

    private static StorageServer start(Path folder) throws Exception {
        StorageServer server = new StorageServer(StorageConfig.of(folder)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()));
        server.start();
        return server;
    }

    private static UdpClient client(StorageServer server) throws IOException {
        return new UdpClient(server.addresses().getFirst());
    }

    private Path index() {
        return folder.resolve(DataFolder.INDEX);
    }

    private Path database() {
        return folder.resolve(DataFolder.DATABASE);
    }

    /** Changes a value behind the storage's back, and perhaps hides that. */
    private void change(boolean hidden) throws Exception {
        FileTime before = Files.getLastModifiedTime(database());
        try (Connection connection = Writable.open(database()); Statement statement = connection.createStatement()) {
            statement.execute("UPDATE digests SET value = 99");
        }
        Files.setLastModifiedTime(database(), hidden ? before : FileTime.fromMillis(before.toMillis() + 5));
    }

    private long value(int number) throws Exception {
        try (StorageServer server = start(folder); UdpClient client = client(server)) {
            assertThat(server.stats().hashes()).isEqualTo(HASHES);
            return client.check(Samples.digest(number), null).value();
        }
    }

    @Test
    void isReadInsteadOfTheDatabase() throws Exception {
        // Nothing else tells the two ways apart from outside.
        change(true);
        assertThat(value(3)).isEqualTo(13);
        assertThat(value(4)).isEqualTo(14);
    }

    @Test
    void isLeftAsideWhenTheDatabaseHasChanged() throws Exception {
        change(false);
        assertThat(value(3)).isEqualTo(99);
        // The stop has left another one.
        assertThat(value(4)).isEqualTo(99);
        change(true);
        assertThat(value(5)).isEqualTo(99);
    }

    @Test
    void isLeftAsideWhenItIsDamaged() throws Exception {
        change(true);
        byte[] bytes = Files.readAllBytes(index());
        bytes[bytes.length / 2] ^= 1;
        Files.write(index(), bytes);
        assertThat(value(3)).isEqualTo(99);
    }

    @Test
    void isLeftAsideWhenPartOfTheDatabaseIsBesideIt() throws Exception {
        change(true);
        Files.write(folder.resolve(DataFolder.DATABASE + "-wal"), new byte[1]);
        assertThat(value(3)).isEqualTo(99);
    }

    @Test
    void canBeMadeBeforeTheFirstStart() throws Exception {
        Files.delete(index());
        List<String> told = new ArrayList<>();
        KeptIndex.prepare(folder, new StartProgress() {
            @Override
            public void loading(long hashes, long of) {
                told.add(hashes + " of " + of);
            }

            @Override
            public void reading(long bytes, long of) {
                throw new AssertionError("there was no index to read");
            }
        });
        assertThat(told).containsExactly(HASHES + " of " + HASHES);
        change(true);
        assertThat(value(3)).isEqualTo(13);
    }

    @Test
    void missesNothingThatWasLearntBeforeACrash() throws Exception {
        Path copy = scratch.resolve("crashed");
        try (StorageServer server = start(folder); UdpClient client = client(server)) {
            client.write(Samples.digest(1), 1, 1000, Samples.shingles(1));
            copy(folder, copy);
            server.sync().get();
            client.write(Samples.digest(2), 1, 1000, Samples.shingles(2));
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
    void isNotLeftWhereThereIsNoRoomForIt() throws Exception {
        Files.delete(index());
        new KeptIndex(database(), index()).write(new HashIndex(KeyedHash.random()), 1, 1, Long.MAX_VALUE / 2);
        assertThat(index()).doesNotExist();
        new KeptIndex(database(), index()).write(new HashIndex(KeyedHash.random()), 1, 1, 0);
        assertThat(index()).exists();
    }
}
