package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The plugin for Rspamd in {@code packages/rspamd}, with a real Rspamd and a real Weir. */
class RspamdPluginTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** A slow machine must not make an answer late. */
    private static final String OPTIONS = "enabled = true; timeout = 60s; learn_timeout = 60s; ";
    private static final String SENDER = "192.0.2.1";
    private static final int PARALLEL = 200;
    private static final int ROUNDS = 200;
    /** A JVM that has just started needs some hundred mails until it has compiled what a scan runs. */
    private static final int WARM_UP = 1000;

    @TempDir
    Path scratch;

    private final JsonMapper json = new JsonMapper();

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc");
    }

    /** Writes a configuration of Weir with all kinds, and an HTTP port. */
    private Path weir(int storage, int http, String controller) throws IOException {
        Path folder = Files.createTempDirectory(scratch, "weir");
        return Files.writeString(folder.resolve("weir.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; %4$s }
                        group "fuzzy" { symbols { FUZZY_DENIED { weight = 12 } FUZZY_WHITE { weight = -2.1 } } }
                        fuzzy_check { timeout = 10s; rule "local" {
                          servers = "127.0.0.1:%1$d"; algorithm = mumhash; mime_types = ["*"]; min_length = 64;
                          short_text_direct_hash = true; max_score = 20;
                          fuzzy_map { FUZZY_DENIED { flag = 1 } FUZZY_WHITE { flag = 3 } }
                          kinds { recommended = true; trusted_hosts = "mx.example.org" }
                        } }
                        """
                        .formatted(storage, folder, http, controller));
    }

    private static String servers(int... ports) {
        return "servers = [" + String.join(", ", Arrays.stream(ports).mapToObj(port -> "\"127.0.0.1:" + port + "\"")
                .toList()) + "]; ";
    }

    /** A mail of a campaign, whose text differs and is too short for Rspamd's hash of a text. */
    private static String mail(String text) {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 24; i++) {
            rows.append("<tr><td class=row").append(Character.toString('a' + i)).append(">line</td></tr>");
        }
        return "From: <a@evil-site.com>\nTo: <b@example.org>\nMessage-ID: <" + text.hashCode() + "@evil-site.com>\n"
                + "Subject: " + text + "\nMIME-Version: 1.0\nContent-Type: text/html\n\n<html><body><table width=600>"
                + rows + "<tr><td>" + text + "</td></tr></table></body></html>\n";
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(scratch.resolve(name), content);
    }

    private static HttpRequest scan(RspamdPeer rspamd, String mail, String... headers) {
        return scan(rspamd.scannerPort(), mail, headers);
    }

    private static HttpRequest scan(int port, String mail, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/checkv2"))
                .version(HttpClient.Version.HTTP_1_1).timeout(PATIENCE).header("IP", SENDER)
                .POST(HttpRequest.BodyPublishers.ofString(mail));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    private JsonNode symbols(HttpClient client, HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        return json.readTree(reply.body()).path("symbols");
    }

    private JsonNode symbols(HttpClient client, RspamdPeer rspamd, String mail, String... headers)
            throws IOException, InterruptedException {
        return symbols(client, scan(rspamd, mail, headers));
    }

    private static HttpResponse<String> learn(HttpClient client, RspamdPeer rspamd, String arguments, String mail)
            throws IOException, InterruptedException {
        return client.send(HttpRequest
                .newBuilder(URI
                        .create("http://127.0.0.1:" + rspamd.controllerPort() + "/plugins/weir/learn" + arguments))
                .version(HttpClient.Version.HTTP_1_1).timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(mail)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void whatWeirRecognizesBecomesSymbols() throws Exception {
        int http = FreePort.find();
        try (WeirHttp weir = WeirHttp.configured(scratch, weir(FreePort.find(), http, "secure_ip = \"127.0.0.1\";"));
                RspamdPeer rspamd = start("rspamd", OPTIONS + servers(http));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(weir.port()).isEqualTo(http);
            recognizes(client, rspamd);
            largeMails(client, rspamd);
            manyAtOnce(client, rspamd);
            costs(client, rspamd, weir);
        }
    }

    @Test
    void theSameWithRspamd4() throws Exception {
        String program = Programs.rspamd4();
        int http = FreePort.find();
        try (WeirHttp weir = WeirHttp.configured(scratch, weir(FreePort.find(), http, "secure_ip = \"127.0.0.1\";"));
                RspamdPeer rspamd = start(program, OPTIONS + servers(http));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(weir.port()).isEqualTo(http);
            recognizes(client, rspamd);
            manyAtOnce(client, rspamd);
        }
    }

    private RspamdPeer start(String program, String options) throws IOException, InterruptedException {
        return RspamdPeer.withPlugin(scratch, new RspamdPeer.Setup(null, null, null), program, options, "");
    }

    private void recognizes(HttpClient client, RspamdPeer rspamd) throws Exception {
        String learned = mail("your mailbox is nearly full");
        String near = mail("the parcel waits for you at the desk");
        HttpResponse<String> reply = learn(client, rspamd, "?class=spam", learned);
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        assertThat(json.readTree(reply.body()).path("success").asBoolean()).isTrue();
        assertThat(learn(client, rspamd, "?class=none", learned).statusCode()).isEqualTo(400);

        JsonNode denied = symbols(client, rspamd, near).path("WEIR_DENIED");
        assertThat(denied.path("metric_score").asDouble()).isEqualTo(12);
        // One kind alone counts at most half of a whole hit.
        assertThat(denied.path("score").asDouble()).isBetween(1.0, 6.0);
        assertThat(denied.path("options").toString()).matches("\\[\"21:[0-9a-f]{10}:[01]\\.\\d\\d:source1\"]");
        String other = "Subject: lunch\n\nShall we have lunch together on Thursday?\n";
        assertThat(symbols(client, rspamd, other).propertyNames()).noneMatch(name -> name.startsWith("WEIR_"));

        assertThat(symbols(client, rspamd, near, "User", "jane").has("WEIR_DENIED")).as("an authenticated user")
                .isFalse();
        HttpRequest local = HttpRequest.newBuilder(scan(rspamd, near), (name, value) -> !name.equals("IP"))
                .header("IP", "127.0.0.1").build();
        assertThat(symbols(client, local).has("WEIR_DENIED")).as("a local sender").isFalse();

        // Ham is forgotten as spam.
        assertThat(learn(client, rspamd, "?class=ham", learned).statusCode()).isEqualTo(200);
        assertThat(symbols(client, rspamd, near).has("WEIR_DENIED")).isFalse();
        assertThat(learn(client, rspamd, "?class=spam", learned).statusCode()).isEqualTo(200);
    }

    /** A mail of 10 MB is sent, one beyond max_size is not; both pass. */
    private void largeMails(HttpClient client, RspamdPeer rspamd) throws Exception {
        String attachment = "\n--b\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n%s"
                + "\n--b--\n";
        String head = mail("a large mail").replace("Content-Type: text/html\n",
                "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n");
        String line = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3\n";
        String ten = head + attachment.formatted(line.repeat(10_000_000 / line.length()));
        JsonNode large = symbols(client, rspamd, ten);
        assertThat(large.has("WEIR_DENIED")).as(large.toString()).isTrue();
        assertThat(large.has("WEIR_FAIL")).isFalse();
        String eleven = head + attachment.formatted(line.repeat(11_000_000 / line.length()));
        assertThat(symbols(client, rspamd, eleven).propertyNames()).noneMatch(name -> name.startsWith("WEIR_"));
    }

    private void manyAtOnce(HttpClient client, RspamdPeer rspamd) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> replies = new ArrayList<>();
        for (int i = 0; i < PARALLEL; i++) {
            replies.add(client.sendAsync(scan(rspamd, mail("mail number " + i + " of many at once")),
                    HttpResponse.BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> reply : replies) {
            JsonNode symbols = json.readTree(reply.join().body()).path("symbols");
            assertThat(symbols.has("WEIR_DENIED")).as(symbols.toString()).isTrue();
            assertThat(symbols.has("WEIR_FAIL")).isFalse();
        }
    }

    /**
     * Prints what a scan takes with and without the plugin, and what Weir itself takes, in turns. The plugin may add
     * what Weir takes, and no wait of its own, such as for a timer or for a delayed acknowledgment (40 ms).
     */
    private void costs(HttpClient client, RspamdPeer rspamd, WeirHttp weir) throws Exception {
        String mail = mail("what does a scan cost");
        HttpRequest with = scan(rspamd, mail);
        // A mail of an authenticated user is not sent.
        HttpRequest without = scan(rspamd, mail, "User", "jane");
        HttpRequest direct = scan(weir.port(), mail);
        for (int i = 0; i < WARM_UP; i++) {
            nanos(client, direct);
        }
        List<Long> withPlugin = new ArrayList<>();
        List<Long> rspamdAlone = new ArrayList<>();
        List<Long> weirAlone = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            withPlugin.add(nanos(client, with));
            rspamdAlone.add(nanos(client, without));
            weirAlone.add(nanos(client, direct));
        }
        System.out.println("a scan without the plugin: " + times(rspamdAlone) + "; with it: " + times(withPlugin)
                + "; by Weir alone: " + times(weirAlone));
        assertThat(millis(withPlugin, 50) - millis(rspamdAlone, 50)).as("further milliseconds")
                .isLessThan(20 + 3 * millis(weirAlone, 50));
    }

    private long nanos(HttpClient client, HttpRequest request) throws IOException, InterruptedException {
        long start = System.nanoTime();
        assertThat(symbols(client, request).has("WEIR_FAIL")).isFalse();
        return System.nanoTime() - start;
    }

    private static String times(List<Long> nanos) {
        return String.format(Locale.ROOT, "p50 %.1f ms, p99 %.1f ms", millis(nanos, 50), millis(nanos, 99));
    }

    private static double millis(List<Long> nanos, int percentile) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return sorted.get((sorted.size() - 1) * percentile / 100) / 1e6;
    }

    @Test
    void aWeirThatIsAwayCostsASymbolOnly() throws Exception {
        int http = FreePort.find();
        int storage = FreePort.find();
        Path config = weir(storage, http, "secure_ip = \"127.0.0.1\";");
        WeirHttp weir = WeirHttp.configured(scratch, config);
        try (RspamdPeer rspamd = start("rspamd", OPTIONS + "revive_time = 0.5s; " + servers(http));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(learn(client, rspamd, "?class=spam", mail("your mailbox is nearly full")).statusCode())
                    .isEqualTo(200);
            String near = mail("the parcel waits for you at the desk");
            assertThat(symbols(client, rspamd, near).has("WEIR_DENIED")).isTrue();

            // Weir is killed while mails are scanned: each of them gets an answer of Rspamd.
            long start = System.nanoTime();
            List<CompletableFuture<HttpResponse<String>>> replies = new ArrayList<>();
            for (int i = 0; i < PARALLEL; i++) {
                replies.add(client.sendAsync(scan(rspamd, mail("mail number " + i + " in the middle")),
                        HttpResponse.BodyHandlers.ofString()));
                if (i == PARALLEL / 4) {
                    weir.kill();
                }
            }
            for (CompletableFuture<HttpResponse<String>> reply : replies) {
                assertThat(reply.join().statusCode()).isEqualTo(200);
                JsonNode symbols = json.readTree(reply.join().body()).path("symbols");
                assertThat(symbols.has("WEIR_DENIED") || symbols.has("WEIR_FAIL")).as(symbols.toString()).isTrue();
            }
            JsonNode fail = symbols(client, rspamd, near).path("WEIR_FAIL");
            assertThat(fail.path("score").asDouble(-1)).isZero();
            assertThat(fail.path("options").toString()).isNotEmpty();
            HttpResponse<String> learned = learn(client, rspamd, "?class=spam", near);
            assertThat(learned.statusCode()).as(learned.body()).isEqualTo(503);
            // The scanner and the controller write a line a minute each.
            int minutes = (int) Duration.ofNanos(System.nanoTime() - start).toMinutes();
            assertThat(rspamd.log().lines()
                    .filter(line -> line.matches(".*weir: (1 mail has|\\d+ mails have) no answer.*")))
                    .hasSizeBetween(1, 2 * (minutes + 1));

            weir = WeirHttp.configured(scratch, config);
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!symbols(client, rspamd, near).has("WEIR_DENIED")) {
                assertThat(System.nanoTime()).as("Weir is asked again").isLessThan(end);
                Thread.sleep(100);
            }
            assertThat(rspamd.log().lines()
                    .filter(line -> line.matches(".*weir: mails have answers again(; \\d+ more had none)?$")))
                    .hasSizeBetween(1, minutes + 2);
        } finally {
            weir.close();
        }
    }

    @Test
    void theNextServerAnswersForOneThatIsAwayOrSilent() throws Exception {
        int http = FreePort.find();
        int nobody = FreePort.find();
        try (ServerSocket silent = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
                WeirHttp weir = WeirHttp.configured(scratch, weir(FreePort.find(), http, "secure_ip = \"127.0.0.1\";"));
                RspamdPeer rspamd = start("rspamd",
                        OPTIONS.replace("; timeout = 60s", "; timeout = 30s")
                                + servers(nobody, silent.getLocalPort(), http));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(weir.port()).isEqualTo(http);
            assertThat(learn(client, rspamd, "?class=spam", mail("your mailbox is nearly full")).statusCode())
                    .isEqualTo(200);
            String near = mail("the parcel waits for you at the desk");
            // The scanner is another process than the controller, and learns itself which servers are away.
            JsonNode first = symbols(client, rspamd, near);
            assertThat(first.has("WEIR_DENIED")).as(first.toString()).isTrue();
            assertThat(first.has("WEIR_FAIL")).isFalse();
            long start = System.nanoTime();
            assertThat(symbols(client, rspamd, near).has("WEIR_DENIED")).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).as("the silent one rests")
                    .isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void requestsAreEncryptedAndCompressedAndHaveAPassword() throws Exception {
        KeyFile key = KeyFile.generate(scratch);
        int http = FreePort.find();
        String controller = "secure_ip = \"192.0.2.77\"; password = \"read\"; enable_password = \"write\"; "
                + key.text();
        String options = OPTIONS + servers(http) + "compression = true; key = \"" + key.publicKey()
                + "\"; password = \"read\"; ";
        try (WeirHttp weir = WeirHttp.configured(scratch, weir(FreePort.find(), http, controller));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(weir.port()).isEqualTo(http);
            String near = mail("the parcel waits for you at the desk");
            try (RspamdPeer rspamd = start("rspamd", options + "learn_password = \"write\";")) {
                HttpResponse<String> learned = learn(client, rspamd, "?class=spam",
                        mail("your mailbox is nearly full"));
                assertThat(learned.statusCode()).as(learned.body()).isEqualTo(200);
                JsonNode symbols = symbols(client, rspamd, near);
                assertThat(symbols.has("WEIR_DENIED")).as(symbols.toString()).isTrue();
            }
            try (RspamdPeer rspamd = start("rspamd", options.replace("password = \"read\"", "password = \"wrong\""))) {
                JsonNode fail = symbols(client, rspamd, near).path("WEIR_FAIL");
                assertThat(fail.path("options").toString()).contains("status 401");
                assertThat(rspamd.log()).doesNotContain("wrong");
            }
        }
    }

    /** fuzzy_check asks the storage of the same Weir: a copy scores once, and a near mail by its kinds. */
    @Test
    void aHitOfFuzzyCheckDoesNotCountTwice() throws Exception {
        int storage = FreePort.find();
        int http = FreePort.find();
        Mails mails = Mails.in(scratch);
        try (WeirHttp weir = WeirHttp.configured(scratch, weir(storage, http, "secure_ip = \"127.0.0.1\";"));
                RspamdPeer rspamd = RspamdPeer.withPlugin(scratch, new RspamdPeer.Setup(storage, null, null), "rspamd",
                        OPTIONS + servers(http) + "symbols { FUZZY_DENIED = \"NEAR\" } fuzzy_symbols { "
                                + "FUZZY_DENIED = \""
                                + RspamdPeer.DENIED + "\" }",
                        "group \"near\" { symbols { \"NEAR\" { weight = 12.0; } } }");
                HttpClient client = HttpClient.newHttpClient()) {
            weir.rspamc("-t", "60", "-f", "1", "-w", "20", "fuzzy_add", mails.campaign().toString()).succeeded();
            Path page = file("page.eml", mail("your mailbox is nearly full"));
            weir.rspamc("-t", "60", "-f", "1", "-w", "20", "fuzzy_add", page.toString()).succeeded();
            JsonNode copy = symbols(client, rspamd, Files.readString(mails.campaign(), StandardCharsets.ISO_8859_1));
            double hit = copy.path(RspamdPeer.DENIED).path("score").asDouble();
            assertThat(hit).isGreaterThan(11);
            assertThat(hit + copy.path("NEAR").path("score").asDouble()).as(copy.toString()).isLessThanOrEqualTo(12.1);
            JsonNode near = symbols(client, rspamd, mail("the parcel waits for you at the desk"));
            assertThat(near.has(RspamdPeer.DENIED)).isFalse();
            assertThat(near.path("NEAR").path("score").asDouble()).as(near.toString()).isBetween(1.0, 6.1);
        }
    }

    /** The web interface and Dovecot use learn_spam and learn_ham. */
    @Test
    void learnSpamAndLearnHamReachWeir() throws Exception {
        Programs.require("redis-server");
        int http = FreePort.find();
        try (RedisServer redis = RedisServer.start(scratch);
                WeirHttp weir = WeirHttp.configured(scratch, weir(FreePort.find(), http, "secure_ip = \"127.0.0.1\";"));
                RspamdPeer rspamd = RspamdPeer.withPlugin(scratch, new RspamdPeer.Setup(null, null, null), "rspamd",
                        OPTIONS + servers(http) + "learn_hook = true; learn_ham = \"FUZZY_WHITE\";",
                        """
                                classifier "bayes" {
                                  tokenizer { name = "osb"; } cache { type = "redis"; } backend = "redis";
                                  servers = "127.0.0.1:%d"; min_tokens = 1; min_learns = 1; new_schema = true;
                                  statfile { symbol = "BAYES_HAM"; spam = false; }
                                  statfile { symbol = "BAYES_SPAM"; spam = true; }
                                  learn_condition = 'return function(...) return rspamd_plugins.weir.learn_condition(...) end';
                                }
                                """
                                .formatted(redis.port()));
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(weir.port()).isEqualTo(http);
            Path learned = file("learned.eml", mail("your mailbox is nearly full"));
            String near = mail("the parcel waits for you at the desk");
            rspamd.control("learn_spam", learned.toString()).succeeded();
            await(client, rspamd, near, true);
            // A person changes her mind; wanted mail of this form then keeps it from counting again.
            rspamd.control("learn_ham", learned.toString()).succeeded();
            await(client, rspamd, near, false);
            assertThat(rspamd.log()).contains("weir: learned as spam", "weir: learned as ham");
        }
    }

    private void await(HttpClient client, RspamdPeer rspamd, String mail, boolean denied) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (symbols(client, rspamd, mail).has("WEIR_DENIED") != denied) {
            assertThat(System.nanoTime()).as(rspamd.log()).isLessThan(end);
            Thread.sleep(50);
        }
    }

    @Test
    void wrongOptionsAreReportedAndTurnThePluginOff() throws Exception {
        try (RspamdPeer rspamd = start("rspamd",
                "enabled = true; servers = \"127.0.0.1:x\"; timeout = often; colour = 1;");
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(rspamd.log()).contains("unknown option \"colour\"", "\"timeout\": expected a number above 0",
                    "\"servers\": expected HOST:PORT, but found \"127.0.0.1:x\"", "the plugin does not run");
            assertThat(symbols(client, rspamd, mail("a mail")).propertyNames())
                    .noneMatch(name -> name.startsWith("WEIR_"));
        }
    }
}
