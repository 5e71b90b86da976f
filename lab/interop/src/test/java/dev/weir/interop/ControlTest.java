package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the control socket of {@code weir serve} with the real {@code rspamadm} and with {@code weir control}. */
class ControlTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamadm");
    }

    private Programs.Result rspamadm(Path socket, String... command) throws Exception {
        List<String> all = new ArrayList<>(List.of("rspamadm", "control", "-t", "60", "-s", socket.toString()));
        all.addAll(List.of(command));
        return Programs.run(scratch, all.toArray(String[]::new)).succeeded();
    }

    private Programs.Result weir(String... arguments) throws Exception {
        return Weir.run(scratch, arguments);
    }

    @Test
    void rspamadmReadsTheStatistics() throws Exception {
        Path data = scratch.resolve("data");
        Path mail = Mails.in(scratch).campaign();
        try (WeirStorage storage = WeirStorage.start(data)) {
            weir("learn", "-s", storage.address(), mail.toString(), "--flag", "1").succeeded();
            weir("check", "-s", storage.address(), mail.toString()).succeeded();
            Path socket = data.resolve("control.sock");
            String report = rspamadm(socket, "fuzzystat", "-n").out();
            assertThat(report).contains("Statistics for storage ", "fuzzy_stored: 1",
                    "fuzzy_checked: (v0.6: 0), (v0.8: 0), (v0.9: 0), (v1.0+: 0), (v1.7+: 3)",
                    "fuzzy_found: (v0.6: 0), (v0.8: 0), (v0.9: 0), (v1.0+: 0), (v1.7+: 3)", "Key id: unkeyed",
                    "\tChecked: 2", "\tMatched: 2", "\tAdded: 1", "\t127.0.0.1");
            String own = weir("control", "fuzzystat", "-n", "--data", data.toString()).succeeded().out();
            assertThat(own).contains("fuzzy_stored: 1", "Matched: 2 - 100 percent (2 per hour in average)",
                    "\tFlags stat:\n\t[1]:");
            assertThat(rspamadm(socket, "-c", "fuzzysync").out()).contains("\"status\":0");
            assertThat(rspamadm(socket, "-j", "fuzzystat").out()).contains("\"fuzzy_stored\": 1");
            assertThat(weir("control", "-c", "--data", data.toString(), "reload").err())
                    .contains("started without a configuration file");
        }
    }

    @Test
    void appliesAChangedConfigurationAndKeepsItWhenTheNextIsBroken() throws Exception {
        Path data = scratch.resolve("data");
        Path configuration = scratch.resolve("weir.conf");
        Path writers = Files.writeString(scratch.resolve("writers.map"), "192.0.2.1\n");
        Path mail = Mails.in(scratch).campaign();
        String text = "worker \"fuzzy\" { bind_socket = \"127.0.0.1:0\"; hash_file = \"" + data
                + "/fuzzy.db\"; %s }\n";
        Files.writeString(configuration, text.formatted("allow_update = \"" + writers + "\";"));
        try (WeirStorage storage = WeirStorage.configured(configuration)) {
            assertThat(weir("learn", "-s", storage.address(), mail.toString(), "--flag", "1").exit()).isEqualTo(4);
            Files.writeString(configuration, text.formatted("allow_update = \"127.0.0.1\"; expire = 5min;"));
            weir("control", "reload", "--data", data.toString()).succeeded();
            weir("learn", "-s", storage.address(), mail.toString(), "--flag", "1").succeeded();
            Files.writeString(configuration, text.formatted("allow_updates = \"127.0.0.1\";"));
            Programs.Result broken = weir("control", "reload", "--data", data.toString());
            assertThat(broken.exit()).isEqualTo(4);
            assertThat(broken.err()).contains("nothing was changed", "weir.conf:1:",
                    "unknown option \"allow_updates\"", "did you mean \"allow_update\"?");
            weir("learn", "-s", storage.address(), mail.toString(), "--flag", "1").succeeded();
            Files.writeString(configuration, text.formatted("encrypted_only = false; sync = 3s; max_log = 1g;"));
            assertThat(weir("control", "reload", "--data", data.toString()).succeeded().out())
                    .contains("max_log: the change takes effect at the next start");
            assertThat(weir("learn", "-s", storage.address(), mail.toString(), "--flag", "1").exit()).isEqualTo(4);
        }
    }
}
