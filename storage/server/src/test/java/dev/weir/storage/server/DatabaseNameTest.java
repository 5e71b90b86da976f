package dev.weir.storage.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.InstantSource;

import dev.weir.storage.DataFolder;
import dev.weir.storage.Folders;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.maintenance.Adoption;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.mirror.MirrorBuild;
import dev.weir.storage.transfer.mirror.MirrorComparison;
import dev.weir.testkit.UdpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Databases with other names than {@code fuzzy.db}, and behind links. */
class DatabaseNameTest {
    @TempDir
    private Path scratch = Path.of("");

    private Path data() {
        return scratch.resolve("data");
    }

    private StorageConfig config(String database) {
        return StorageConfig.of(data()).withDatabase(database)
                .withBind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))
                .withAllowUpdate(StorageConfig.loopback());
    }

    /** Runs a storage that learns a hash with this weight, and returns the value that the hash has then. */
    private int learn(String database, int weight) throws Exception {
        try (StorageServer server = new StorageServer(config(database));
                UdpClient client = new UdpClient(server.start())) {
            assertThat(client.write(Samples.digest(1), 1, weight, Samples.shingles(1)).isMatch()).isTrue();
            return client.check(Samples.digest(1), null).value();
        }
    }

    private static long value(Path file) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT coalesce(sum(value), 0) FROM digests")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Does what another program does that changes the database while no storage runs. */
    private static void change(Path file, int value) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE digests SET value = " + value);
            statement.execute("UPDATE sources SET version = version + 1");
        }
    }

    /** Everything that is done with the database of a folder, which stays where it is, and so do the links to it. */
    private void everyCommandFinds(Path file, String database, Path... links) throws Exception {
        assertThat(value(file)).isEqualTo(5);
        assertThat(MirrorComparison.mirrorIn(data())).hasValue(DataFolder.database(data()));
        assertThat(MirrorComparison.run(data(), DataFolder.database(data()))).isEmpty();

        // Built again, by the file itself and by a link.
        for (Path name : new Path[]{DataFolder.database(data()), data().resolve(DataFolder.DATABASE)}) {
            Files.delete(file);
            MirrorBuild.run(data(), name, InstantSource.system(), new Moves.Quiet());
            assertThat(value(file)).isEqualTo(5);
        }
        assertThat(learn(database, 1)).isEqualTo(6);
        assertThat(value(file)).isEqualTo(6);

        // By a running storage.
        Files.delete(file);
        Files.delete(data().resolve(DataFolder.MIRRORED));
        assertThat(learn(database, 1)).isEqualTo(7);
        assertThat(value(file)).isEqualTo(7);

        change(file, 40);
        assertThat(learn(database, 2)).as("a change by another program counts").isEqualTo(42);
        assertThat(value(file)).isEqualTo(42);

        Adoption adoption = new Adoption(data());
        assertThat(adoption.plan().hashes()).isEqualTo(1);
        assertThat(adoption.run(InstantSource.system())).hasSize(2);
        assertThat(learn(database, 1)).isEqualTo(43);
        assertThat(value(file)).isEqualTo(43);
        for (Path link : links) {
            assertThat(link).isSymbolicLink();
        }
        assertThat(file).isRegularFile();
        assertThat(Files.isSymbolicLink(file)).isFalse();
    }

    @Test
    void aDatabaseOfAnotherName() throws Exception {
        assertThat(learn("rspamd.sqlite", 5)).isEqualTo(5);
        everyCommandFinds(data().resolve("rspamd.sqlite"), "rspamd.sqlite", data().resolve(DataFolder.DATABASE));
    }

    @Test
    void aDatabaseBehindLinksInAnotherFolder() throws Exception {
        Path disk = Files.createDirectories(scratch.resolve("disk"));
        Files.createDirectories(data());
        Path second = Files.createSymbolicLink(disk.resolve("second"), Path.of("hashes.sqlite"));
        Path first = Files.createSymbolicLink(data().resolve("rspamd.sqlite"), second);
        assertThat(learn("rspamd.sqlite", 5)).isEqualTo(5);
        everyCommandFinds(disk.resolve("hashes.sqlite"), "rspamd.sqlite", first, second,
                data().resolve(DataFolder.DATABASE));
    }

    @Test
    void aFolderHasOneDatabase() throws Exception {
        learn("one.db", 5);
        assertThatThrownBy(() -> learn("two.db", 5)).isInstanceOf(StorageException.class)
                .hasMessageContaining("is one.db, not two.db");
        Folders.delete(data());
        learn(DataFolder.DATABASE, 5);
        assertThatThrownBy(() -> learn("two.db", 5)).isInstanceOf(StorageException.class)
                .hasMessageContaining("are in fuzzy.db, not in two.db");
    }
}
