package dev.weir.cli.maintenance;

import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.storage.DataFolder;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the output and the exit status of the commands on the files of a storage. */
class MaintenanceCommandsTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path folder;

    private StorageConfig config() {
        return StorageConfig.of(folder.resolve("data"))
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()).withSync(Duration.ofHours(1));
    }

    private Run run(String command, String... arguments) {
        return Run.weir(Stream.concat(Stream.of(command, "--data", folder.resolve("data").toString()),
                Stream.of(arguments)).toArray(String[]::new));
    }

    private void learn(StorageServer server, int port) throws Exception {
        Path spam = Files.write(folder.resolve("spam.eml"), Samples.campaigns().getFirst().mail());
        // The storage writes to the database now and then only after an hour, so these updates are only in the log.
        server.sync().get();
        for (int weight = 5; weight <= 7; weight++) {
            assertThat(Run.weir("learn", "--server", "127.0.0.1:" + port, "-f", "1", "-w", Integer.toString(weight),
                    spam.toString()).status()).isEqualTo(ExitCode.OK);
        }
    }

    @Test
    void compactsAStoreAndRefusesADatabase() throws Exception {
        try (StorageServer server = new StorageServer(config().withBackend(BackendKind.STORE))) {
            learn(server, server.start().getPort());
            assertThat(run("compact").status()).isEqualTo(ExitCode.SERVER);
        }
        Run compact = run("compact");
        assertThat(compact.status()).as(compact.err()).isEqualTo(ExitCode.OK);
        assertThat(compact.out()).startsWith("the store of " + folder.resolve("data") + " has 1 hash in ");
        assertThat(JSON.readTree(run("compact", "--json").out()).get("hashes").asInt()).isEqualTo(1);
        assertThat(run("verify").status()).isEqualTo(ExitCode.OK);
        Path other = folder.resolve("other");
        Files.createDirectory(other);
        new SqliteFile(other.resolve(DataFolder.DATABASE)).open().close();
        Run refused = Run.weir("compact", "--data", other.toString());
        assertThat(refused.status()).isEqualTo(ExitCode.INPUT);
        assertThat(refused.err()).contains("only a store can be compacted");
    }

    @Test
    void verifiesBacksUpAndListsARunningStorage() throws Exception {
        try (StorageServer server = new StorageServer(config())) {
            learn(server, server.start().getPort());

            Run verify = run("verify");
            assertThat(verify.status()).as(verify.err()).isEqualTo(ExitCode.OK);
            assertThat(verify.out())
                    .isEqualTo(folder.resolve("data")
                            + " is sound: 0 hashes at revision 0, and 3 updates more in the log\n"
                            + folder.resolve("data").resolve(DataFolder.DATABASE) + " has the same hashes\n");
            JsonNode json = JSON.readTree(run("verify", "--json").out());
            assertThat(json.get("sound").asBoolean()).isTrue();
            assertThat(json.get("pending").asInt()).isEqualTo(3);

            Path target = folder.resolve("backup");
            Run backup = run("backup", target.toString());
            assertThat(backup.status()).as(backup.err()).isEqualTo(ExitCode.OK);
            assertThat(backup.out()).startsWith(target + ": 1 hash at revision 3 (3 updates from the log), ");
            assertThat(run("backup", target.toString()).status()).isEqualTo(ExitCode.INPUT);

            List<String> log = run("log").out().lines().toList();
            assertThat(log).hasSize(3);
            assertThat(log.getFirst()).matches("1 \\S+Z 127\\.0\\.0\\.1 add flag 1 weight 5 [0-9a-f]{128}");
            JsonNode last = JSON.readTree(run("log", "--json", "--after", "2").out());
            assertThat(last.get("revision").asInt()).isEqualTo(3);
            assertThat(last.get("weight").asInt()).isEqualTo(7);
            assertThat(last.get("change").asString()).isEqualTo("add");
            assertThat(run("log", "--digest", "00000000").out()).isEmpty();
            assertThat(run("log", "--from", "127.0.0.0/8", "--since", "1h").out().lines()).hasSize(3);
            assertThat(run("log", "--from", "192.0.2.0/24").out()).isEmpty();
            assertThat(run("log", "--until", "1h").out()).isEmpty();

            Run repair = run("repair");
            assertThat(repair.status()).isEqualTo(ExitCode.SERVER);
            assertThat(repair.err()).contains("another weir is using");
        }
        // The backup is a complete storage, so it answers.
        try (StorageServer restored = new StorageServer(
                StorageConfig.of(folder.resolve("backup")).withBind(config().bind()))) {
            int port = restored.start().getPort();
            Run check = Run.weir("check", "--server", "127.0.0.1:" + port, folder.resolve("spam.eml").toString());
            assertThat(check.out()).contains("value 18");
        }
    }

    @Test
    void repairDropsDamagedHashesOfAStoreOnlyOnRequest() throws Exception {
        try (StorageServer server = new StorageServer(config().withBackend(BackendKind.STORE))) {
            learn(server, server.start().getPort());
            assertThat(run("repair").status()).isEqualTo(ExitCode.SERVER);
        }
        assertThat(run("repair").out()).isEqualTo("nothing to repair\n");
        Path slots = folder.resolve("data").resolve(DataFolder.STORE).resolve("signed.slots");
        try (RandomAccessFile bytes = new RandomAccessFile(slots.toFile(), "rw")) {
            bytes.seek(336 + 100);
            bytes.write(bytes.read() ^ 1);
        }
        Run plan = run("repair");
        assertThat(plan.status()).isEqualTo(ExitCode.INPUT);
        assertThat(plan.out()).contains("signed.slots is damaged", "1 hash lost from the store", "nothing was changed");
        assertThat(run("verify").status()).isEqualTo(ExitCode.INPUT);
        Run repaired = run("repair", "--apply");
        assertThat(repaired.status()).as(repaired.err()).isEqualTo(ExitCode.OK);
        assertThat(repaired.out()).contains("damaged-image-");
        assertThat(run("verify").status()).isEqualTo(ExitCode.OK);
        assertThat(run("repair").out()).isEqualTo("nothing to repair\n");
    }

    @Test
    void adoptsADatabaseOnlyOnRequest() throws Exception {
        try (StorageServer server = new StorageServer(config())) {
            learn(server, server.start().getPort());
        }
        Run plan = run("adopt");
        assertThat(plan.status()).as(plan.err()).isEqualTo(ExitCode.INPUT);
        assertThat(plan.out()).contains(" has 1 hash\n", "the store of ",
                "the database has every update that the storage is known to have had\n", "nothing was changed");
        Run done = run("adopt", "--apply");
        assertThat(done.status()).as(done.err()).isEqualTo(ExitCode.OK);
        assertThat(done.out()).contains("taken over\n",
                "set aside: " + folder.resolve("data").resolve("updates.before-"),
                "set aside: " + folder.resolve("data").resolve("store.before-"));
        assertThat(run("verify").status()).isEqualTo(ExitCode.OK);
        assertThat(run("adopt", "--apply").out()).contains("taken over; there was no update log\n");
    }

    @Test
    void repairReportsLossesAndDropsThemOnlyOnRequest() throws Exception {
        Path copy = folder.resolve("copy");
        try (StorageServer server = new StorageServer(config())) {
            learn(server, server.start().getPort());
            // As after a kill, the log has updates that the database does not have.
            Files.createDirectories(copy.resolve(DataFolder.UPDATES));
            for (String name : List.of("fuzzy.db", "fuzzy.db-wal")) {
                Files.copy(folder.resolve("data").resolve(name), copy.resolve(name));
            }
            Path segment = segment(folder.resolve("data"));
            Files.copy(segment, copy.resolve(DataFolder.UPDATES).resolve(segment.getFileName()));
        }
        try (RandomAccessFile bytes = new RandomAccessFile(segment(copy).toFile(), "rw")) {
            bytes.seek(100);
            bytes.write(~bytes.read());
        }
        Run plan = Run.weir("repair", "--data", copy.toString());
        assertThat(plan.status()).as(plan.err()).isEqualTo(ExitCode.INPUT);
        assertThat(plan.out()).contains("is damaged at byte 64: update 1 cannot be read\n",
                "1 update lost: acknowledged, but no longer readable\n",
                "2 updates kept: in the log and not in the database yet\n", "nothing was changed");
        Run verify = Run.weir("verify", "--data", copy.toString());
        assertThat(verify.status()).isEqualTo(ExitCode.INPUT);
        assertThat(verify.out()).contains("broken: ", "update 1 cannot be read", " is damaged");
        Run repaired = Run.weir("repair", "--data", copy.toString(), "--apply");
        assertThat(repaired.status()).as(repaired.err()).isEqualTo(ExitCode.OK);
        assertThat(Run.weir("repair", "--data", copy.toString()).out()).isEqualTo("nothing to repair\n");
        assertThat(Run.weir("verify", "--data", copy.toString()).out()).contains("is sound", "2 updates more");
    }

    private static Path segment(Path data) throws Exception {
        try (Stream<Path> files = Files.list(data.resolve(DataFolder.UPDATES))) {
            return files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
        }
    }

    @Test
    void reportsAFolderWithoutAStorage() {
        for (String command : List.of("verify", "repair", "log")) {
            Run run = run(command);
            assertThat(run.status()).isEqualTo(ExitCode.INPUT);
            assertThat(run.err()).contains("there is no storage in " + folder.resolve("data"));
            assertThat(folder.resolve("data")).doesNotExist();
        }
        Run backup = run("backup", folder.resolve("backup").toString());
        assertThat(backup.status()).isEqualTo(ExitCode.INPUT);
        assertThat(backup.err()).contains("there is no storage in");
    }
}
