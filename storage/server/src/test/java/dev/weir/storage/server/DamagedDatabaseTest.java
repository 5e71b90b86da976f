package dev.weir.storage.server;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.Trouble;
import dev.weir.storage.database.sqlite.DamageSearch;
import dev.weir.storage.database.sqlite.ReadOnly;
import dev.weir.storage.maintenance.Verification;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.mirror.MirrorBuild;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import dev.weir.testkit.UdpClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Tests that a storage reports that its mirror was damaged while it was stopped, and still works. */
@Timeout(120)
class DamagedDatabaseTest {
    private static final int HASHES = 300;
    private static final int PAGE = 4096;

    @TempDir
    Path scratch = Path.of("");

    private Path folder = Path.of("");

    @BeforeEach
    void createStoppedStorage() throws Exception {
        folder = scratch.resolve("data");
        try (StorageServer server = start(); UdpClient client = new UdpClient(server.addresses().getFirst())) {
            for (int i = 0; i < HASHES; i++) {
                client.write(Samples.digest(i), 1, 10 + i, Samples.shingles(i));
            }
        }
        assertThat(folder.resolve(DataFolder.MIRRORED)).exists();
    }

    private Path database() {
        return folder.resolve(DataFolder.DATABASE);
    }

    private StorageServer start() throws Exception {
        StorageServer server = new StorageServer(StorageConfig.of(folder)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback()));
        server.start();
        return server;
    }

    /**
     * Overwrites the root page of the shingles, which is not read at startup, without changing the file's length and
     * time.
     */
    private void overwriteShingles() throws Exception {
        FileTime before = Files.getLastModifiedTime(database());
        long page;
        try (Connection connection = ReadOnly.open(database());
                Statement statement = connection.createStatement();
                ResultSet row = statement
                        .executeQuery("SELECT rootpage FROM sqlite_schema WHERE name = 'shingles'")) {
            assertThat(row.next()).isTrue();
            page = row.getLong(1);
        }
        byte[] garbage = new byte[PAGE];
        Arrays.fill(garbage, (byte) 0x5a);
        try (RandomAccessFile file = new RandomAccessFile(database().toFile(), "rw")) {
            file.seek((page - 1) * PAGE);
            file.write(garbage);
        }
        Files.setLastModifiedTime(database(), before);
        assertThat(MirrorComparison.run(folder, database())).isNotEmpty();
        assertThat(Verification.of(folder).isSound()).isTrue();
    }

    private void answers(StorageServer server) throws Exception {
        try (UdpClient client = new UdpClient(server.addresses().getFirst())) {
            assertThat(client.check(Samples.digest(7), null).value()).isEqualTo(17);
        }
    }

    private void cut(long bytes) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(database().toFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    /** Checks and learns need the store only. The damaged file may have what Rspamd wrote, so it is kept. */
    @Test
    void startsBesideAnyDamage() throws Exception {
        long whole = Files.size(database());
        for (long bytes : new long[]{whole / 2, 100}) {
            cut(bytes);
            try (StorageServer server = start()) {
                await("the damage is found").atMost(Duration.ofSeconds(60))
                        .until(() -> server.stats().engine().troubles().stream()
                                .anyMatch(trouble -> trouble.reason().equals("the mirror is damaged")));
                answers(server);
            }
            assertThat(Files.size(database())).isEqualTo(bytes);
        }
        MirrorBuild.run(folder, database(), InstantSource.system(), new Moves.Quiet());
        assertThat(MirrorComparison.run(folder, database())).isEmpty();
        try (Stream<Path> kept = Files.list(folder.resolve(DataFolder.ASIDE))) {
            assertThat(kept).singleElement().satisfies(file -> assertThat(file).hasSize(100));
        }
        try (StorageServer server = start()) {
            assertThat(server.stats().engine().troubles()).isEmpty();
        }
    }

    @Test
    void reportsDamageThatTheStartDoesNotRead() throws Exception {
        overwriteShingles();
        try (StorageServer server = start()) {
            await("the damage is found").atMost(Duration.ofSeconds(90))
                    .until(() -> !server.stats().engine().databaseDamage().isEmpty());
            assertThat(server.stats().engine().troubles()).extracting(Trouble::reason)
                    .contains("the mirror is damaged");
            assertThat(server.stats().engine().databaseFailure()).isEmpty();
            answers(server);
        }
    }

    @Test
    void reportsDamageThatAnUpdateHitsAndKeepsTheUpdate() throws Exception {
        overwriteShingles();
        try (StorageServer server = start(); UdpClient client = new UdpClient(server.addresses().getFirst())) {
            client.write(Samples.digest(HASHES), 1, 5, Samples.shingles(HASHES));
            assertThat(server.sync()).failsWithin(Duration.ofMinutes(1)).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining("damaged");
            assertThat(server.stats().engine().databaseDamage()).isNotEmpty();
            assertThat(server.stats().engine().troubles()).extracting(Trouble::reason)
                    .containsExactly("the mirror is not up to date", "the mirror is damaged");
            assertThat(client.check(Samples.digest(HASHES), null).value()).isEqualTo(5);
            answers(server);
            MirrorBuild.run(folder, database(), InstantSource.system(), new Moves.Quiet());
            server.sync().get();
            assertThat(server.stats().engine().troubles()).isEmpty();
            assertThat(server.stats().engine().databaseDamage()).isEmpty();
            assertThat(MirrorComparison.run(folder, database())).isEmpty();
        }
    }

    @Test
    void reportsNoDamageInASoundDatabaseAndKeepsItsMark() throws Exception {
        DamageSearch search = new DamageSearch(database());
        search.run();
        assertThat(search.damage()).isEmpty();
        for (int i = 0; i < 5; i++) {
            // The stop comes at an arbitrary moment of the search.
            try (StorageServer server = start()) {
                answers(server);
                assertThat(server.stats().engine().troubles()).isEqualTo(List.of());
            }
            assertThat(folder.resolve(DataFolder.MIRRORED)).exists();
            assertThat(database().resolveSibling(DataFolder.DATABASE + "-wal")).doesNotExist();
        }
    }
}
