package dev.weir.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import dev.weir.config.Configuration;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.http.access.AccessRules;
import dev.weir.http.access.TestRules;
import dev.weir.http.controller.Actions;
import dev.weir.http.controller.FakeService;
import dev.weir.http.crypt.HttpCrypt;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.http.server.ServerLimits;
import dev.weir.http.settings.HttpSettings;
import dev.weir.model.Networks;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.server.Bind;
import dev.weir.storage.server.Listen;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.server.stream.StreamLimits;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Timeout(120)
final class HttpServiceTest {
    private static final String MAIL = "From: a@example.org\r\nMessage-ID: <x@example.org>\r\nSubject: offer\r\n\r\n"
            + "dear friend we have a wonderful offer of the very best watches for you today only\r\n".repeat(12);

    private static final MailHasher HASHER = MailHasher.standard();

    private final KeyPair pair = KeyPair.generate(new SecureRandom());
    private final ArrayDeque<AutoCloseable> open = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private String base = "";
    private Optional<HttpService> started = Optional.empty();

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        StorageServer storage = new StorageServer(StorageConfig.of(folder).withBackend(BackendKind.SQLITE)
                .withListen(
                        new Listen(List.of(new Bind.Inet(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                                StreamLimits.DEFAULT))
                .withAllowUpdate(StorageConfig.loopback()));
        open.push(storage);
        String text = """
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; mime_types = ["*"]; max_score = 20;
                  fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                } }
                group "fuzzy" { symbol "LOCAL_DENIED" { weight = 10.0; description = "Denied"; } }
                """.formatted(storage.start().getPort());
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        FuzzyCheckSettings rules = FuzzyCheckSettings.of(new Configuration(Configuration.Shape.WHOLE_FILE,
                "test.conf", root, List.of(), List.of()), new DiskFiles());
        FuzzyCheck client = FuzzyCheck.open(rules, HASHER,
                FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        open.push(client);
        StorageMetrics figures = new StorageMetrics(storage::stats);
        HttpService service = HttpService.of(settings(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                AccessRules.trusting(AccessRules.LOOPBACK), List.of(pair), 1024), client, figures, figures, "9.9");
        open.push(service);
        started = Optional.of(service);
        base = "http://127.0.0.1:" + ((InetSocketAddress) service.start().getFirst()).getPort();
    }

    @AfterEach
    void stop() throws Exception {
        http.close();
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private JsonNode post(String path, String mail) throws Exception {
        HttpResponse<String> reply = http.send(HttpRequest.newBuilder(URI.create(base + path))
                .POST(HttpRequest.BodyPublishers.ofString(mail)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(reply.body());
    }

    private String get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(base + path)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static HttpSettings settings(List<SocketAddress> binds, AccessRules access, List<KeyPair> pairs,
            int connections) {
        Duration minute = Duration.ofMinutes(1);
        return new HttpSettings(binds, access, pairs, new ServerLimits(HttpLimits.DEFAULT, connections,
                connections / 2, minute, minute, minute), Actions.DEFAULT, Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ping", "/healthz", "/actions", "/auth", "/symbols", "/unknown"})
    void headHasTheHeadersOfGetAndNoBody(String path) throws Exception {
        String get = raw("GET " + path);
        String head = raw("HEAD " + path);
        assertThat(head).endsWith("\r\n\r\n").contains("\r\nContent-Length: ");
        assertThat(get).doesNotEndWith("\r\n\r\n");
        assertThat(head.replaceFirst("Date: .*\r\n", ""))
                .isEqualTo(get.substring(0, get.indexOf("\r\n\r\n") + 4).replaceFirst("Date: .*\r\n", ""));
        assertThat(raw("PROPFIND " + path)).startsWith(path.equals("/unknown") ? "HTTP/1.1 404 " : "HTTP/1.1 405 ");
    }

    private String raw(String line) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), URI.create(base).getPort())) {
            socket.getOutputStream().write((line + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void learnsFindsAndForgetsAMail() throws Exception {
        JsonNode learned = post("/fuzzyadd?flag=11&weight=20", MAIL);
        assertThat(learned.get("success").asBoolean()).isTrue();
        assertThat(learned.get("rules").get(0).get("servers").get(0).get("status").asString()).isEqualTo("confirmed");
        String digest = learned.get("hashes").get(0).asString();
        JsonNode symbol = post("/checkv2", MAIL).get("symbols").get("LOCAL_DENIED");
        assertThat(symbol.get("score").asDouble()).isEqualTo(9.913289);
        assertThat(symbol.get("options").get(0).asString()).isEqualTo("11:" + digest.substring(0, 10) + ":1.00:txt");
        assertThat(post("/plugins/fuzzy/hashes?flag=11", MAIL).get("hashes").get("local").get(0).asString())
                .isEqualTo(digest);
        assertThat(get("/metrics")).contains("weir_storage_hashes 1\n", "weir_storage_writes_total 1\n",
                "weir_http_connections_total ", "weir_healthy 1\n");
        assertThat(get("/healthz")).isEqualTo("{\"success\":true}");
        post("/fuzzydelhash?flag=11&hash=" + digest, "");
        assertThat(post("/checkv2", MAIL).get("symbols").isEmpty()).isTrue();
    }

    /** Before anything was refused, and without words of the machine for those who need no password. */
    @Test
    void aStorageThatCannotTakeUpdatesIsNotHealthy(@TempDir Path other) throws Exception {
        LogLimits usual = LogLimits.DEFAULT;
        LogLimits none = new LogLimits(usual.segmentBytes(), usual.maxBytes(), Long.MAX_VALUE / 2, usual.retain(),
                usual.retainBytes(), usual.repeats());
        try (StorageServer full = new StorageServer(StorageConfig.of(other).withLog(none)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
            full.start();
            StorageMetrics figures = new StorageMetrics(full::stats);
            try (HttpService service = HttpService.of(HttpSettings.local(Actions.DEFAULT)
                    .withBinds(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                    (FuzzyCheck) open.stream().filter(FuzzyCheck.class::isInstance).findFirst().orElseThrow(), figures,
                    figures, "9.9")) {
                base = "http://127.0.0.1:" + ((InetSocketAddress) service.start().getFirst()).getPort();
                assertThat(get("/healthz"))
                        .isEqualTo("{\"error\":\"updates are refused: the disk has too little room\"}");
                assertThat(get("/healthy"))
                        .startsWith(
                                "{\"error\":\"updates are refused: the disk has too little room: the disk has less");
                assertThat(get("/metrics")).contains("weir_healthy 0\n", "weir_storage_refusing 1\n");
            }
        }
    }

    @Test
    void servesEncryptedRequestsAlike() throws Exception {
        KeyPair client = KeyPair.generate(new SecureRandom());
        SharedKey key = SharedKey.of(client.secret(), pair.publicKey()).orElseThrow();
        HttpCrypt crypt = new HttpCrypt(List.of(pair), new SecureRandom());
        String inner = "POST /fuzzyadd HTTP/1.0\r\nFlag: 11\r\nContent-Length: " + MAIL.length() + "\r\n\r\n" + MAIL;
        HttpResponse<byte[]> reply = http.send(HttpRequest.newBuilder(URI.create(base + "/whatever"))
                .header("Key", pair.publicKey().shortId() + "=" + client.publicKey().base32())
                .POST(HttpRequest.BodyPublishers
                        .ofByteArray(crypt.seal(key, inner.getBytes(StandardCharsets.US_ASCII))))
                .build(), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(crypt.open(key, reply.body())).get().satisfies(plain -> assertThat(plain).asString()
                .startsWith("HTTP/1.1 200 OK\r\n").contains("\"success\":true"));
    }

    private int status(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).statusCode();
    }

    @Test
    void newSettingsApplyToNewRequestsAndKeepCounters() throws Exception {
        HttpService service = started.orElseThrow();
        post("/checkv2", MAIL);
        // A connection that is open meanwhile, with the half of a request.
        URI uri = URI.create(base);
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.getOutputStream().write("GET /stat HTTP/1.0\r\nPassword: seco".getBytes(StandardCharsets.US_ASCII));
            HttpSettings old = service.settings();
            Optional<Networks> elsewhere = Optional.of(Networks.dualStack("192.0.2.1/32"));
            service.reconfigure(settings(old.binds(), TestRules.of(Optional.of("first"), Optional.empty(), elsewhere),
                    old.keyPairs(), 8));
            assertThat(status("/stat")).isEqualTo(401);
            assertThat(status("/stat", "Password", "second")).isEqualTo(401);
            assertThat(status("/stat", "Password", "first")).isEqualTo(200);
            for (int i = 0; i < 8; i++) {
                assertThat(status("/stat", "Password", "wrong")).isEqualTo(401);
            }
            service.reconfigure(settings(old.binds(), TestRules.of(Optional.of("second"), Optional.empty(), elsewhere),
                    old.keyPairs(), 1000));
            assertThat(status("/stat", "Password", "first")).as("9 failures").isEqualTo(401);
            socket.getOutputStream().write("nd\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .as("sent in part before the change, judged after it")
                    .startsWith("HTTP/1.1 200 ").contains("\"scanned\":1,");
            service.reconfigure(old.withBinds(List.of(new InetSocketAddress("192.0.2.1", 1))));
            assertThat(service.settings().binds()).isEqualTo(old.binds());
            assertThat(get("/metrics")).contains("weir_http_auth_failures_total 11\n", "weir_scan_seconds_count 1\n");
        }
    }

    @Test
    void refusesOpenRulesAtAPublicAddress() {
        List<SocketAddress> wide = List.of(new InetSocketAddress(0));
        HttpSettings open = settings(wide, TestRules.UNSET, List.of(), 1024);
        assertThatIllegalArgumentException().isThrownBy(() -> HttpService.of(open, new FakeService(),
                List::of, Health.GOOD, "1")).withMessageContaining("listens on 0.0.0.0:0");
        try (HttpService service = HttpService.of(HttpSettings.local(Actions.DEFAULT).withBinds(wide),
                new FakeService(), List::of,
                Health.GOOD, "1")) {
            assertThatIllegalArgumentException().as("its address stays").isThrownBy(() -> service.reconfigure(open))
                    .withMessageContaining("say who may learn and forget");
            assertThat(service.settings().access().isGuarded()).isTrue();
            service.reconfigure(settings(wide, TestRules.password("a"), List.of(), 1024));
        }
    }

    @Test
    void manyAtATime() throws Exception {
        post("/fuzzyadd?flag=11&weight=20", MAIL);
        List<CompletableFuture<HttpResponse<String>>> replies = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            replies.add(http.sendAsync(HttpRequest.newBuilder(URI.create(base + "/checkv2"))
                    .POST(HttpRequest.BodyPublishers.ofString(MAIL)).build(), HttpResponse.BodyHandlers.ofString()));
        }
        for (CompletableFuture<HttpResponse<String>> reply : replies) {
            assertThat(reply.get().body()).contains("\"LOCAL_DENIED\"");
        }
        assertThat(JsonMapper.shared().readTree(get("/stat")).get("scanned").asInt()).isEqualTo(200);
    }
}
