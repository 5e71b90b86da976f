package dev.weir.interop;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with the real {@code rspamc} against {@code weir serve}: every fuzzy command and scanning, in plain text,
 * compressed and encrypted.
 */
class RspamcTest {
    private static final Pattern HASH = Pattern.compile("\"([0-9a-f]{128})\"");

    @TempDir
    Path scratch;

    private Mails mails = new Mails(Path.of(""), Path.of(""), Path.of(""));

    @BeforeAll
    static void requirePrograms() {
        Programs.require("rspamc");
    }

    @BeforeEach
    void unpack() throws Exception {
        mails = Mails.in(scratch);
    }

    private static JsonNode json(Programs.Result result) {
        return JsonMapper.shared().readTree(result.out());
    }

    @Test
    void learnsScansAndForgets() throws Exception {
        try (WeirHttp weir = WeirHttp.start(scratch)) {
            Programs.Result learned = weir.rspamc("-f", "1", "-w", "20", "fuzzy_add", mails.campaign().toString())
                    .succeeded();
            assertThat(learned.out()).contains("success = true;", "status = \"confirmed\";");
            Matcher hash = HASH.matcher(learned.out());
            assertThat(hash.find()).isTrue();

            String scan = weir.rspamc(mails.campaign().toString()).succeeded().out();
            assertThat(scan).contains("Action: add header", "Score: 11.90 / 15.00",
                    "Symbol: FUZZY_DENIED (11.90)[1:" + hash.group(1).substring(0, 10) + ":1.00:txt]");
            assertThat(weir.rspamc("symbols", mails.modified().toString()).succeeded().out())
                    .contains("Symbol: FUZZY_DENIED (");
            assertThat(weir.rspamc("symbols", mails.unrelated().toString()).succeeded().out())
                    .contains("Score: 0.00 / 15.00").doesNotContain("Symbol:");
            JsonNode reply = json(weir.rspamc("-j", mails.campaign().toString()).succeeded());
            assertThat(reply.get("symbols").get("FUZZY_DENIED").get("score").asDouble()).isEqualTo(11.895947);

            weir.rspamc("-f", "1", "fuzzy_delhash", hash.group(1)).succeeded();
            assertThat(weir.rspamc(mails.campaign().toString()).succeeded().out()).doesNotContain("Symbol:");
            weir.rspamc("-S", "fuzzy_denied", "-w", "5", "fuzzy_add", mails.campaign().toString()).succeeded();
            assertThat(weir.rspamc(mails.campaign().toString()).succeeded().out()).contains("FUZZY_DENIED (7.09)");
            weir.rspamc("-f", "1", "fuzzy_del", mails.campaign().toString()).succeeded();
            assertThat(weir.rspamc(mails.campaign().toString()).succeeded().out()).doesNotContain("Symbol:");
        }
    }

    @Test
    void fuzzyDelhashRemovesOnlyFromTheNamedList() throws Exception {
        try (WeirHttp weir = WeirHttp.start(scratch)) {
            Matcher hash = HASH.matcher(weir.rspamc("-f", "1", "-w", "20", "fuzzy_add", mails.campaign()
                    .toString()).succeeded().out());
            assertThat(hash.find()).isTrue();
            weir.rspamc("-f", "3", "-w", "2", "fuzzy_add", mails.campaign().toString()).succeeded();
            weir.rspamc("-f", "1", "fuzzy_delhash", hash.group(1)).succeeded();
            assertThat(weir.rspamc(mails.campaign().toString()).succeeded().out())
                    .contains("Symbol: FUZZY_WHITE").doesNotContain("FUZZY_DENIED");
        }
    }

    @Test
    void theAuditTrailNamesTheSubmitter() throws Exception {
        Path mail = scratch.resolve("identified.eml");
        Files.writeString(mail, "Message-ID: <traced-1@example.org>\n" + Files.readString(mails.campaign(),
                StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1);
        try (WeirHttp weir = WeirHttp.start(scratch)) {
            weir.rspamc("-u", "alice", "-f", "1", "-w", "20", "fuzzy_add", mail.toString()).succeeded();
            weir.rspamc("-u", "bob", "-f", "2", "-w", "3", "fuzzy_add", mail.toString()).succeeded();
            JsonNode change = json(Weir.run(scratch, "log", "--data", weir.data().toString(), "--json", "--user",
                    "alice", "--since", "1h").succeeded());
            assertThat(change.get("client").asString()).isEqualTo("127.0.0.1");
            assertThat(change.get("credential").asString()).isNotEmpty();
            assertThat(change.get("user").asString()).isEqualTo("alice");
            assertThat(change.get("message_id").asString()).isEqualTo("traced-1@example.org");
            assertThat(change.get("flag").asInt()).isEqualTo(1);
            assertThat(Weir.run(scratch, "log", "--data", weir.data().toString(), "--flag", "2").succeeded().out())
                    .contains("user bob mail <traced-1@example.org>").doesNotContain("alice");
            assertThat(Weir.run(scratch, "log", "--data", weir.data().toString(), "--mail", "<traced-1@example.org>")
                    .succeeded().out().lines()).hasSize(2);
        }
    }

    @Test
    void compressesRequestsAndSendsSeveralMailsAtOnce() throws Exception {
        try (WeirHttp weir = WeirHttp.start(scratch)) {
            weir.rspamc("-z", "-f", "2", "-w", "10", "fuzzy_add", mails.campaign().toString()).succeeded();
            String scan = weir.rspamc("-z", "-n", "3", mails.campaign().toString(), mails.modified().toString(),
                    mails.unrelated().toString()).succeeded().out();
            assertThat(scan).contains("Results for file: " + mails.unrelated());
            assertThat(Pattern.compile("Symbol: FUZZY_PROB").matcher(scan).results()).hasSize(2);
        }
    }

    @Test
    void answersErrorsAndStandardCommands() throws Exception {
        try (WeirHttp weir = WeirHttp.start(scratch)) {
            Programs.Result unknown = weir.rspamc("-f", "99", "fuzzy_add", mails.campaign().toString());
            assertThat(unknown.exit()).isEqualTo(1);
            assertThat(unknown.out()).contains("HTTP error: 404, No fuzzy rules matched for flag 99");
            assertThat(weir.rspamc("-f", "1", "fuzzy_delhash", "abc").out()).contains("HTTP error: 400, ");
            assertThat(weir.rspamc("fuzzy_add", mails.campaign().toString()).out())
                    .contains("HTTP error: 404, Unknown or missing flag");
            // This crashes Rspamd 4.1.6.
            Path empty = Files.createFile(scratch.resolve("empty.eml"));
            for (String packing : new String[]{"-v", "-z"}) {
                assertThat(weir.rspamc(packing, "-f", "1", "fuzzy_add", empty.toString()).out())
                        .contains("HTTP error: 400, Empty body is not permitted");
            }
            weir.rspamc(mails.unrelated().toString()).succeeded();
            assertThat(weir.rspamc("stat").succeeded().out()).contains("Messages scanned: 1", "Fuzzy hashes stored:");
            assertThat(weir.rspamc("uptime").succeeded().out()).contains("Uptime:");
            assertThat(weir.rspamc("counters").succeeded().out()).contains("FUZZY_DENIED");
            assertThat(weir.rspamc("stat_reset").succeeded().out()).contains("Messages scanned:");
            assertThat(weir.rspamc("stat").succeeded().out()).contains("Messages scanned: 0");
        }
    }

    @Test
    void acceptsPasswordsAndEncryption() throws Exception {
        KeyFile key = KeyFile.generate(scratch);
        int port = FreePort.find();
        int storage = FreePort.find();
        Path config = scratch.resolve("weir.conf");
        // The loopback address is trusted as a proxy only, so a password is needed.
        Files.writeString(config, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = ["127.0.0.1"];
                }
                worker "controller" {
                  bind_socket = "127.0.0.1:%3$d"; secure_ip = ["192.0.2.1"];
                  password = "$2$iix3u8fxuxrdo4kxg1s5ca1azs55dtuo$7g7hyf38qk4zwe7cqq5cxhotrt5gsmmbu71997i9xzty5ypxu19y";
                  enable_password = "write";
                  %4$s
                }
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; mime_types = ["*"];
                  max_score = 20; fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                } }
                group "fuzzy" { symbol "LOCAL_DENIED" { weight = 10.0; description = "Denied"; } }
                """.formatted(storage, Files.createDirectory(scratch.resolve("db")), port, key.text()));
        try (WeirHttp weir = WeirHttp.configured(scratch, config)) {
            String mail = mails.campaign().toString();
            assertThat(weir.rspamc("-f", "11", "fuzzy_add", mail).out()).contains("HTTP error: 401, Unauthorized");
            assertThat(weir.rspamc("-P", "mypassword", "-f", "11", "fuzzy_add", mail).out())
                    .contains("HTTP error: 401, Unauthorized");
            weir.rspamc("-P", "write", "-f", "11", "-w", "20", "fuzzy_add", mail).succeeded();
            assertThat(weir.rspamc("-P", "mypassword", mail).succeeded().out()).contains("LOCAL_DENIED (9.91)");
            String encrypted = weir.rspamc("--key", key.publicKey(), "-P", "mypassword", mail).succeeded().out();
            assertThat(encrypted).contains("LOCAL_DENIED (9.91)");
            weir.rspamc("--key", key.publicKey(), "-z", "-P", "write", "-f", "11", "fuzzy_del", mail).succeeded();
            assertThat(weir.rspamc("-P", "mypassword", mail).succeeded().out()).doesNotContain("LOCAL_DENIED (");
            assertThat(weir.rspamc("--key", key.publicKey(), "-f", "11", "fuzzy_add", mail).out())
                    .contains("HTTP error: 401, Unauthorized");
            KeyFile wrong = KeyFile.generate(scratch);
            assertThat(weir.rspamc("--key", wrong.publicKey(), "-P", "mypassword", mail).exit()).isEqualTo(1);
        }
    }

    @Test
    void answersMonitoring() throws Exception {
        try (WeirHttp weir = WeirHttp.start(scratch); HttpClient client = HttpClient.newHttpClient()) {
            weir.rspamc("-f", "1", "fuzzy_add", mails.campaign().toString()).succeeded();
            weir.rspamc(mails.campaign().toString()).succeeded();
            assertThat(get(client, weir, "/ping")).isEqualTo("pong\r\n");
            assertThat(get(client, weir, "/healthz")).isEqualTo("{\"success\":true}");
            assertThat(get(client, weir, "/metrics")).contains("weir_storage_hashes 1\n",
                    "weir_symbol_hits_total{symbol=\"FUZZY_DENIED\"} 1\n", "weir_learns_total{result=\"success\"} 1\n");
            assertThat(get(client, weir, "/plugins/fuzzy/storages"))
                    .contains("\"servers\":[\"127.0.0.1:" + weir.storage() + "\"]");
            HttpResponse<String> hashes = client.send(HttpRequest
                    .newBuilder(URI.create("http://127.0.0.1:" + weir.port() + "/plugins/fuzzy/hashes?flag=1"))
                    .POST(HttpRequest.BodyPublishers.ofFile(mails.campaign())).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(HASH.matcher(hashes.body()).find()).isTrue();
        }
    }

    private static String get(HttpClient client, WeirHttp weir, String path) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + weir.port() + path)).build(),
                HttpResponse.BodyHandlers.ofString()).body();
    }
}
