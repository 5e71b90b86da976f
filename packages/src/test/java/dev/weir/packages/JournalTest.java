package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The log of the service in a real journal: systemd-journald runs here without the rest of systemd. */
class JournalTest {
    private static final Path DAEMON = Path.of("/usr/lib/systemd/systemd-journald");

    @TempDir
    private Path folder;

    @Test
    void journalctlSelectsByTheFields() throws Exception {
        Installed.require(DAEMON, "systemd");
        assumeTrue(Files.exists(Path.of("/etc/machine-id")), "the journal needs /etc/machine-id");
        Installed.require("journalctl", "systemd");
        Tarball tarball = Tarball.unpack(folder);
        Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:11335"; hash_file = "%s/fuzzy.db"; }
                worker "controller" { bind_socket = "127.0.0.1:11336"; secure_ip = ["127.0.0.1"]; }
                """.formatted(folder.resolve("data")));
        // The journal writes into memory, away from the journal of this machine.
        try (Namespace namespace = Namespace.make("mount -t tmpfs tmpfs /run; mkdir -p /run/log/journal")) {
            Process journal = namespace.start(List.of(DAEMON.toString()), Map.of(), folder.resolve("journald.out"));
            try {
                long end = System.nanoTime() + 60_000_000_000L;
                while (namespace.run("test", "-S", "/run/systemd/journal/socket").status() != 0) {
                    assertThat(System.nanoTime()).as(Files.readString(folder.resolve("journald.out"))).isLessThan(end);
                }
                Path output = folder.resolve("serve.out");
                List<String> command = tarball.command("", "serve", "-c", folder.resolve("weir.conf").toString(),
                        "--log-format", "journal");
                try (Service service = Service.await(namespace.start(command, Map.of(), output), output)) {
                    // What the journal has is not on standard error, too.
                    assertThat(Files.readString(output)).doesNotContain("INFO");
                    List<JsonNode> entries = entries(namespace, "SYSLOG_IDENTIFIER=weir");
                    assertThat(entries).isNotEmpty().allSatisfy(entry -> {
                        assertThat(entry.get("_TRANSPORT").asString()).isEqualTo("journal");
                        assertThat(entry.get("_PID").asString()).isEqualTo(Long.toString(service.process().pid()));
                        assertThat(entry.get("PRIORITY").asString()).isIn("3", "4", "6");
                        assertThat(entry.get("THREAD").asString()).isNotEmpty();
                        assertThat(entry.get("MESSAGE").asString()).isNotEmpty();
                    });
                    String logger = entries.getFirst().get("LOGGER").asString();
                    assertThat(entries(namespace, "SYSLOG_IDENTIFIER=weir", "LOGGER=" + logger)).isNotEmpty()
                            .allSatisfy(entry -> assertThat(entry.get("LOGGER").asString()).isEqualTo(logger));
                    assertThat(entries(namespace, "SYSLOG_IDENTIFIER=weir", "LOGGER=None")).isEmpty();
                }
            } finally {
                journal.destroy();
                journal.waitFor();
            }
        }
    }

    /** Returns what {@code journalctl} shows for some conditions. */
    private static List<JsonNode> entries(Namespace namespace, String... conditions) throws Exception {
        namespace.run("journalctl", "--sync");
        String shown = namespace
                .run("sh", "-c", "journalctl --no-pager --quiet --output=json --directory=/run/log/journal/"
                        + "$(cat /etc/machine-id) " + String.join(" ", conditions))
                .succeeded();
        return shown.lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    }
}
