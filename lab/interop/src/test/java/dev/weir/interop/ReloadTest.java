package dev.weir.interop;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test that changes a weight and a password while the real {@code rspamc} learns and scans. No request may fail and
 * nothing may restart.
 */
class ReloadTest {
    @TempDir
    Path scratch;

    @BeforeAll
    static void requirePrograms() {
        Programs.require("rspamc");
    }

    private String configuration(int storage, int http, int weight, String password, String more) {
        return """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = ["127.0.0.1"];
                }
                worker "controller" {
                  bind_socket = "127.0.0.1:%3$d"; secure_ip = ["192.0.2.1"]; password = "%5$s";
                }
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; mime_types = ["*"];
                  max_score = 20; %6$s
                  fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                } }
                group "fuzzy" { symbol "LOCAL_DENIED" { weight = %4$d.0; } }
                """.formatted(storage, scratch.resolve("db"), http, weight, password, more);
    }

    private Programs.Result reload() throws Exception {
        return Weir.run(scratch, "control", "reload", "--data", scratch.resolve("db").toString());
    }

    @Test
    void aWeightAndAPasswordChangeWhileMailsAreScanned() throws Exception {
        String mail = Mails.in(scratch).campaign().toString();
        int storage = FreePort.find();
        int http = FreePort.find();
        Files.createDirectory(scratch.resolve("db"));
        Path file = scratch.resolve("weir.conf");
        Files.writeString(file, configuration(storage, http, 10, "old", ""));
        try (WeirHttp weir = WeirHttp.configured(scratch, file);
                Socket half = new Socket(InetAddress.getLoopbackAddress(), weir.port())) {
            weir.rspamc("-P", "old", "-f", "11", "-w", "20", "fuzzy_add", mail).succeeded();
            assertThat(weir.rspamc("-P", "old", mail).succeeded().out()).contains("LOCAL_DENIED (9.91)");
            // A request that began before the change ends after it, on the same connection.
            half.getOutputStream().write("GET /stat HTTP/1.0\r\nPassword: n".getBytes(StandardCharsets.US_ASCII));

            CountDownLatch reloaded = new CountDownLatch(1);
            List<String> seen = new ArrayList<>();
            CompletableFuture<Void> scans = CompletableFuture.runAsync(() -> {
                try {
                    for (int after = 0; after < 2; after += reloaded.getCount() == 0 ? 1 : 0) {
                        String old = weir.rspamc("-P", "old", mail).out();
                        seen.add(old.contains("HTTP error: 401") ? weir.rspamc("-P", "new", mail).out() : old);
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            Files.writeString(file, configuration(storage, http, 4, "new", ""));
            assertThat(reload().succeeded().out()).doesNotContain("next start");
            reloaded.countDown();
            scans.join();
            assertThat(seen).isNotEmpty()
                    .allSatisfy(out -> assertThat(out).containsAnyOf("LOCAL_DENIED (9.91)", "LOCAL_DENIED (3.97)"));
            assertThat(seen.getLast()).contains("LOCAL_DENIED (3.97)");
            assertThat(weir.rspamc("-P", "old", mail).out()).contains("HTTP error: 401, Unauthorized");
            half.getOutputStream().write("ew\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(half.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ").contains("\"learned\":1,");
            assertThat(weir.rspamc("-P", "new", "stat").succeeded().out())
                    .contains("Messages scanned: " + (1 + seen.size()));

            // A broken configuration changes nothing and is reported, and so is a setting that needs a restart.
            Files.writeString(file, configuration(storage, http, 7, "newest", "algoritm = siphash;"));
            Programs.Result broken = reload();
            assertThat(broken.exit()).isEqualTo(4);
            assertThat(broken.err()).contains("nothing was changed", "weir.conf:9:",
                    "unknown option \"algoritm\"", "did you mean \"algorithm\"?");
            assertThat(weir.rspamc("-P", "new", mail).succeeded().out()).contains("LOCAL_DENIED (3.97)");
            Files.writeString(file,
                    configuration(storage, http, 7, "newest", "learn_condition = \"return function(\";"));
            Programs.Result script = reload();
            assertThat(script.exit()).isEqualTo(4);
            assertThat(script.err()).contains("nothing was changed", "weir.conf:", "learn_condition");
            assertThat(weir.rspamc("-P", "new", mail).succeeded().out()).contains("LOCAL_DENIED (3.97)");
            Files.writeString(file, configuration(storage, FreePort.find(), 7, "newest", ""));
            assertThat(reload().succeeded().out()).contains("bind_socket of worker \"controller\": the change takes"
                    + " effect at the next start; until then it is 127.0.0.1:" + http);
            assertThat(weir.rspamc("-P", "newest", mail).succeeded().out()).contains("LOCAL_DENIED (6.94)");
        }
    }

    private Programs.Result keys(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("keys", arguments[0], "--data", scratch.resolve("db").toString()));
        words.addAll(List.of(arguments).subList(1, arguments.length));
        return Weir.run(scratch, words.toArray(String[]::new));
    }

    @Test
    void aDynamicKeyOfTheCommandLineIsInForceAtOnceAndWithoutItsSecret() throws Exception {
        Files.createDirectory(scratch.resolve("db"));
        Path file = Files.writeString(scratch.resolve("customers"), "[]");
        Path configuration = Files.writeString(scratch.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/fuzzy.db"; encrypted_only = true;
                  dynamic_keys_map = "%s";
                }
                """.formatted(scratch.resolve("db"), file));
        try (WeirStorage weir = WeirStorage.configured(configuration)) {
            assertThat(keys("list").out()).contains("0 dynamic keys");
            String key = keys("add", "--name", "a customer", "--allow", "read,write").succeeded().out().strip();
            String[] ping = {"ping", "--server", weir.address(), "--encryption-key", key, "--retransmits", "30"};
            Weir.run(scratch, ping).succeeded();
            String secret = JsonMapper.shared().readTree(Files.readString(file)).path(0).path("keypair")
                    .path("privkey").asString("");
            assertThat(secret).hasSize(52);
            Programs.Result changed = keys("change", key, "--burst", "50", "--rate", "2.5", "--expire", "2099-01-31");
            assertThat(changed.succeeded().out()).contains(key, "read,write", "50 at once, 2.5 a second",
                    "until 2099-01-31", "a customer");
            Programs.Result list = keys("list", "--json").succeeded();
            assertThat(list.out()).contains("\"in_force\":true").doesNotContain(secret);
            Files.createDirectories(scratch.resolve("customers.new").resolve("in the way"));
            Programs.Result failed = keys("remove", key);
            assertThat(failed.exit()).isEqualTo(4);
            assertThat(failed.err()).contains("customers cannot be written: ").doesNotContain(secret);
            Weir.run(scratch, ping).succeeded();
            Files.delete(scratch.resolve("customers.new").resolve("in the way"));
            keys("remove", key).succeeded();
            assertThat(Weir.run(scratch, "ping", "--server", weir.address(), "--encryption-key", key, "--retransmits",
                    "1").exit()).as("the key is gone").isEqualTo(5);
            assertThat(keys("remove", key).err()).contains("no file of dynamic keys has this key");
        }
    }
}
