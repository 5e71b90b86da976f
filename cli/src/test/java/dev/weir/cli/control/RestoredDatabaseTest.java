package dev.weir.cli.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.http.control.ControlSocket;
import dev.weir.http.control.StorageCommands;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Rspamd's cold synchronization onto a storage that ran before: every place names the command that finishes it. */
@Timeout(120)
class RestoredDatabaseTest {
    @TempDir
    Path folder;

    private Path data = Path.of("");
    private String adopt = "";

    @BeforeEach
    void place() {
        data = folder.resolve("slave");
        adopt = "weir adopt --apply --data " + data;
    }

    private static StorageConfig config(Path data) {
        return StorageConfig.of(data).withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback());
    }

    private String learn(StorageServer server, int mail) throws Exception {
        String address = "127.0.0.1:" + server.start().getPort();
        Path file = Files.write(folder.resolve(mail + ".eml"), Samples.campaigns().get(mail).mail());
        Run run = Run.weir("learn", "--server", address, "-f", "1", "-w", "5", file.toString());
        assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.OK);
        return address;
    }

    /** What SQLite's .backup and .restore do. */
    private void restore() throws Exception {
        Path master = folder.resolve("master");
        try (StorageServer server = new StorageServer(config(master))) {
            learn(server, 1);
        }
        Path dump = folder.resolve("fuzzy.sql");
        run(DataFolder.database(master), "backup to " + dump);
        run(DataFolder.database(data), "restore from " + dump);
    }

    private static void run(Path database, String statement) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement run = connection.createStatement()) {
            run.executeUpdate(statement);
        }
    }

    private String settings(String address) throws Exception {
        return Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "%1$s"; database = "%2$s"; allow_update = ["127.0.0.1"]; }
                fuzzy_check { rule "one" {
                  servers = "%1$s"; algorithm = "mumhash"; symbol = "UNKNOWN"; timeout = 200ms; retransmits = 1;
                  read_only = false; fuzzy_map { FUZZY_DENIED { flag = 1; max_score = 20.0; } }
                } }
                """.formatted(address, DataFolder.database(data))).toString();
    }

    private void refusesToStartUntilAdopted() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (StorageServer server = new StorageServer(config(data))) {
                assertThatExceptionOfType(StorageException.class).isThrownBy(server::start)
                        .withMessageContaining("has hashes of another storage").withMessageContaining(adopt);
            }
        }
        Run doctor = Run.weir("doctor", "-c", settings("127.0.0.1:1"));
        assertThat(doctor.out()).contains("NO  the storage of " + data + ", which does not answer at ", adopt);
        assertThat(doctor.status()).isEqualTo(ExitCode.INPUT);
        // As the package ships it: the storage has no rules beside it.
        String alone = Files.readString(Path.of(settings("127.0.0.1:1"))).replaceAll("(?s)fuzzy_check.*", "");
        String file = Files.writeString(folder.resolve("storage.conf"), alone).toString();
        doctor = Run.weir("doctor", "-c", file);
        assertThat(doctor.out()).contains("NO  the storage of " + data, adopt, "--  it has no fuzzy_check");
        assertThat(doctor.status()).isEqualTo(ExitCode.INPUT);
        assertThat(Run.weir("doctor", "-c", file, folder.resolve("1.eml").toString()).err())
                .contains("there is no fuzzy_check in " + file);
        Run adopted = Run.weir(adopt.substring("weir ".length()).split(" "));
        assertThat(adopted.status()).as(adopted.err()).isEqualTo(ExitCode.OK);
        doctor = Run.weir("doctor", "-c", settings("127.0.0.1:1"));
        assertThat(doctor.out()).doesNotContain(adopt);
        try (StorageServer server = new StorageServer(config(data))) {
            String address = "127.0.0.1:" + server.start().getPort();
            Run known = Run.weir("check", "--server", address, folder.resolve("1.eml").toString());
            assertThat(known.status()).as(known.out() + known.err()).isEqualTo(ExitCode.OK);
            Run old = Run.weir("check", "--server", address, folder.resolve("0.eml").toString());
            assertThat(old.status()).as(old.out() + old.err()).isEqualTo(ExitCode.NO_MATCH);
        }
    }

    @Test
    void aStoppedStorage() throws Exception {
        try (StorageServer server = new StorageServer(config(data))) {
            learn(server, 0);
        }
        restore();
        refusesToStartUntilAdopted();
    }

    /** The documents of Rspamd say that the storages that get a copy need not stop. */
    @Test
    void aRunningStorage() throws Exception {
        StorageConfig config = config(data);
        try (StorageServer server = new StorageServer(config)) {
            String address = learn(server, 0);
            try (ControlSocket socket = ControlSocket.bind(
                    new Bind.Unix(data.resolve(DataFolder.CONTROL_SOCKET), Bind.Unix.OWN_USER))) {
                socket.serve(StorageCommands.of(server, config, Setup.NONE,
                        () -> new StorageCommands.Reloaded(false, List.of("not in this test"))));
                Run before = Run.weir("doctor", "-c", settings(address));
                assertThat(before.out()).contains("ok  the storage of " + data + " is healthy");
                assertThat(Run.weir("control", "fuzzysync", "--data", data.toString()).status())
                        .isEqualTo(ExitCode.OK);
                restore();
                Run sync = Run.weir("control", "fuzzysync", "--data", data.toString());
                assertThat(sync.status()).isNotEqualTo(ExitCode.OK);
                assertThat(sync.err()).contains(adopt);
                assertThat(Run.weir("control", "status", "--data", data.toString()).out())
                        .contains("trouble: ", "it belongs to another storage", adopt);
                // What /healthz tells to strangers has no path.
                assertThat(server.stats().troubles()).extracting(Trouble::reason).containsExactly(
                        "the mirror is not up to date, it belongs to another storage (weir adopt --apply goes on with "
                                + "it)");
                Run doctor = Run.weir("doctor", "-c", settings(address));
                assertThat(doctor.out()).contains("NO  the storage of " + data + " is healthy: ", adopt);
                assertThat(doctor.status()).isEqualTo(ExitCode.INPUT);
            }
        }
        refusesToStartUntilAdopted();
    }
}
