package dev.weir.http.controller;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.http.access.AccessControl;
import dev.weir.http.access.AccessRules;
import dev.weir.http.access.TestRules;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpLimits;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;
import dev.weir.http.message.Requests;
import dev.weir.http.metrics.Health;
import dev.weir.http.metrics.Metric;
import dev.weir.http.packing.Packing;
import dev.weir.http.server.Client;
import dev.weir.http.server.Deadlines;
import dev.weir.model.Digest;
import dev.weir.scan.HashListing;
import dev.weir.scan.LearnReport;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.SymbolResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

final class ControllerTest {
    private static final String MAIL = "Message-ID:\r\n <a@b>\r\nSubject: x\r\n\r\nhello\r\n";
    private static final String HEX = "0123456789abcdefABCDEF" + "0".repeat(106);
    private final FakeService service = new FakeService();
    private final AtomicReference<List<Health.Failure>> failures = new AtomicReference<>(List.of());
    private final Deadlines waits = new Deadlines("test-patience", System::nanoTime);
    private final Controller controller = controller(TestRules.UNSET);

    private Controller controller(AccessRules rules) {
        return new Controller(service, new AccessControl(rules, new SecureRandom(), () -> 0),
                new ControllerOptions(Actions.DEFAULT, "9.9", 50 << 20, Duration.ofMillis(200), InstantSource.system()),
                () -> List.of(Metric.gauge("other_figure", "Another one.", 42)), failures::get, waits, List.of());
    }

    @BeforeEach
    void watchTheTime() {
        waits.start();
    }

    @AfterEach
    void watchNoMore() {
        waits.close();
    }

    private HttpReply ask(Controller asked, String request) throws Exception {
        byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
        try (BodyBudget.Share share = new BodyBudget(1 << 24).share()) {
            HttpRequest read = Requests.read(bytes, HttpLimits.DEFAULT, share);
            return asked.handle(read.head(), _ -> read.body(), Client.of(InetAddress.ofLiteral("127.0.0.1")), share);
        }
    }

    private HttpReply ask(String line, String headers, String body) throws Exception {
        return ask(controller,
                line + " HTTP/1.0\r\n" + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body);
    }

    private static JsonNode json(HttpReply reply) {
        assertThat(reply.type()).isEqualTo("application/json");
        return JsonMapper.shared().readTree(reply.body());
    }

    private static String text(HttpReply reply) {
        return new String(reply.body(), StandardCharsets.UTF_8);
    }

    private static ScanResult result(double score, SymbolResult... symbols) {
        return new ScanResult(List.of(symbols), score, List.of(), List.of(), List.of("found exact fuzzy hash"),
                List.of(), false);
    }

    @Test
    void answersAScanLikeRspamd() throws Exception {
        service.scan = CompletableFuture.completedFuture(result(11.8959472, new SymbolResult("LOCAL_DENIED", "fuzzy",
                11.8959472, 0, 12.0, List.of("11:53c3aaf623:1.00:txt"), "Denied fuzzy hash"),
                new SymbolResult("FUZZY_FORBIDDEN", "fuzzy", 0, 0, 0, List.of("feed"), "")));
        HttpReply reply = ask("POST /CheckV2", "From: a@b\r\nRcpt: c@d\r\nRcpt: e@f\r\nIP: 2001:db8::1\r\nUser: me\r\n"
                + "Hostname: unknown\r\nPassword: secret\r\n", MAIL);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers()).contains(new HttpHeaders.Field("Cache-Control", "no-store"));
        assertThat(text(reply).replaceFirst("\"time_real\":[0-9.]+", "\"time_real\":0"))
                .isEqualTo("{\"is_skipped\":false,"
                        + "\"score\":11.895947,\"required_score\":15.0,\"action\":\"add header\","
                        + "\"thresholds\":{\"reject\":15.0,\"add header\":6.0,\"greylist\":4.0},"
                        + "\"symbols\":{\"LOCAL_DENIED\":{\"name\":\"LOCAL_DENIED\","
                        + "\"score\":11.895947,\"metric_score\":12.0,\"description\":\"Denied fuzzy hash\","
                        + "\"options\":[\"11:53c3aaf623:1.00:txt\"]},\"FUZZY_FORBIDDEN\":{\"name\":\"FUZZY_FORBIDDEN\","
                        + "\"score\":0.0,\"metric_score\":0.0,\"options\":[\"feed\"]}},"
                        + "\"matches\":[],\"messages\":{},\"message-id\":\"a@b\","
                        + "\"time_real\":0}");
        assertThat(service.mails.getFirst()).asString().isEqualTo(MAIL);
        assertThat(service.contexts.getFirst()).satisfies(context -> {
            assertThat(context.from()).isEqualTo("a@b");
            assertThat(context.recipients()).containsExactly("c@d", "e@f");
            assertThat(context.ip()).isEqualTo(InetAddress.ofLiteral("2001:db8::1"));
            assertThat(context.user()).isEqualTo("me");
            assertThat(context.hostname()).isNull();
            assertThat(context.header("password")).as("not for scripts").isEmpty();
        });
    }

    /** What the plugin for Rspamd reads: what kinds count, and each hit with kind, flag, probability and digest. */
    @Test
    void aScanListsEachMatch() throws Exception {
        FuzzyMatch match = new FuzzyMatch("r", "DENIED", "s", "ab".repeat(64), "cd".repeat(64), "source1", 0.4375, 0.28,
                21, 7, null, false, null, true);
        service.scan = CompletableFuture.completedFuture(new ScanResult(List.of(new SymbolResult("DENIED", "fuzzy", 3.4,
                0.28, 12, List.of("kinds=source1 0.28"), "")), 3.4, List.of(), List.of(match), List.of(), List.of(),
                false));
        JsonNode reply = json(ask("POST /checkv2", "", MAIL));
        assertThat(reply.at("/symbols/DENIED/kinds").asDouble()).isEqualTo(0.28);
        assertThat(reply.get("matches").toString()).isEqualTo("[{\"symbol\":\"DENIED\",\"kind\":\"source1\","
                + "\"flag\":21,\"probability\":0.4375,\"weight\":0.28,\"value\":7,\"digest\":\"" + "ab".repeat(64)
                + "\",\"exact\":false}]");
        assertThat(text(ask("POST /check", "", MAIL))).as("the older form stays as it is").doesNotContain("matches");
    }

    /** The first two lines are those that Exim 4.96 reads. */
    @Test
    void answersEximInItsProtocol() throws Exception {
        service.scan = CompletableFuture.completedFuture(result(20, new SymbolResult("A", "fuzzy", 20, 0, 20,
                List.of("1:ab", "x\r\nSymbol: FORGED(-100.00)"), "Denied")));
        String exim = "CHECK RSPAMC/1.3\r\nContent-length: " + MAIL.length()
                + "\r\nQueue-Id: 1\r\nFrom: <a@b>\r\nRecipient-Number: 1\r\nRcpt: <c@d>\r\nHelo: e\r\n\r\n" + MAIL;
        assertThat(new String(ask(controller, exim).toRspamcBytes(), StandardCharsets.UTF_8)).isEqualTo("""
                RSPAMD/1.3 0 EX_OK
                Metric: default; True; 20.00 / 15.00 / 0.0
                Action: reject
                Symbol: A(20.00)
                X-Symbol: A(20.00); Denied [1:ab, x  Symbol: FORGED(-100.00)]
                Message-ID: a@b
                """.replace("\n", "\r\n"));
        assertThat(service.contexts.getFirst().from()).isEqualTo("a@b");
        assertThat(service.contexts.getFirst().recipients()).containsExactly("c@d");
        Controller guarded = controller(TestRules.password("read"));
        assertThat(new String(ask(guarded, exim).toRspamcBytes(), StandardCharsets.UTF_8))
                .isEqualTo("RSPAMD/1.3 401 EX_ERROR\r\nMessage: Unauthorized\r\n");
    }

    @Test
    void answersTheOlderCheckWithOneMetric() throws Exception {
        service.scan = CompletableFuture.completedFuture(result(20, new SymbolResult("A", "fuzzy", 20, 0, 20, List.of(),
                "")));
        for (String path : List.of("/check", "/symbols", "/scan", "/process")) {
            JsonNode metric = json(ask("POST " + path, "", MAIL)).get("default");
            assertThat(metric.get("is_spam").asBoolean()).isTrue();
            assertThat(metric.get("action").asString()).isEqualTo("reject");
            assertThat(metric.get("A").get("score").asDouble()).isEqualTo(20);
        }
    }

    @Test
    void aCompressedMailGetsACompressedReply() throws Exception {
        String packed = new String(Packing.zstd(MAIL.getBytes(StandardCharsets.ISO_8859_1)),
                StandardCharsets.ISO_8859_1);
        HttpReply reply = ask("POST /checkv2", "Compression: zstd\r\n", packed);
        assertThat(reply.headers()).contains(new HttpHeaders.Field("Compression", "zstd"));
        byte[] plain = Packing.ZSTD.unpack(reply.body(), 1 << 20, new BodyBudget(1 << 20).share()).orElseThrow();
        assertThat(JsonMapper.shared().readTree(plain).get("message-id").asString()).isEqualTo("a@b");
        HttpReply learned = ask("POST /fuzzyadd?flag=11", "Content-Encoding: zstd\r\n", packed);
        assertThat(json(learned).get("success").asBoolean()).isTrue();
        assertThat(service.mails).allSatisfy(mail -> assertThat(mail).asString().isEqualTo(MAIL));
    }

    @Test
    void namesMailsWithoutAnId() throws Exception {
        assertThat(json(ask("POST /checkv2", "", "garbage")).get("message-id").asString()).isEqualTo("undef");
        JsonNode empty = json(ask("POST /checkv2", "", ""));
        assertThat(empty.has("message-id")).isFalse();
        assertThat(empty.get("symbols").isEmpty()).isTrue();
        assertThat(ask("POST /checkv2", "Compression: zstd\r\n", "").status()).isEqualTo(200);
    }

    @Test
    void readsNoLocalFile() throws Exception {
        for (String header : List.of("File", "Path", "Shm")) {
            HttpReply reply = ask("POST /checkv2", header + ": /etc/passwd\r\n", MAIL);
            assertThat(reply.status()).isEqualTo(403);
        }
        assertThat(ask("POST /fuzzyadd", "File: /etc/passwd\r\nFlag: 11\r\n", "").reason())
                .isEqualTo("Empty body is not permitted");
        assertThat(service.mails).isEmpty();
    }

    @Test
    void showsStoragesThatDoNotAnswer() throws Exception {
        service.scan = CompletableFuture.completedFuture(new ScanResult(List.of(), 0, List.of(), List.of(), List.of(),
                List.of(new ScanResult.UpstreamFailure("local", "127.0.0.1:1", "no answer", 0)), false));
        assertThat(json(ask("POST /checkv2", "", MAIL)).get("unanswered").get(0).asString())
                .isEqualTo("local 127.0.0.1:1: no answer");
        service.scan = new CompletableFuture<>();
        HttpReply late = ask("POST /checkv2", "", MAIL);
        assertThat(late.status()).isEqualTo(503);
        service.scan = CompletableFuture.completedFuture(result(Double.NaN));
        assertThat(json(ask("POST /checkv2", "", MAIL)).get("score").isNull()).isTrue();
    }

    @Test
    void reportsAMailThatIsNotHashed() throws Exception {
        service.scan = CompletableFuture.completedFuture(new ScanResult(List.of(), 0, List.of(), List.of(), List.of(),
                List.of(), false, Optional.of("it takes longer than 10 ms to hash")));
        JsonNode scan = json(ask("POST /checkv2", "", MAIL));
        assertThat(scan.get("not_hashed").asString()).isEqualTo("it takes longer than 10 ms to hash");
        assertThat(scan.has("unanswered")).isFalse();
        service.report = CompletableFuture.completedFuture(new LearnReport(11, List.of(), List.of(),
                Optional.of(
                        new LearnReport.Failure(LearnReport.Failure.Kind.NOT_HASHED, "The mail is not hashed: x"))));
        HttpReply learned = ask("POST /fuzzyadd", "Flag: 11\r\n", MAIL);
        assertThat(learned.status()).isEqualTo(422);
        assertThat(json(learned).get("error").asString()).isEqualTo("The mail is not hashed: x");
        assertThat(text(ask("GET /metrics", "", ""))).contains("weir_mails_not_hashed_total 2\n",
                "weir_scan_incomplete_total 0\n");
    }

    @Test
    void readsTheArgumentsOfLearning() throws Exception {
        JsonNode reply = json(ask("POST /fuzzyadd?weight=3", "Flag: 11\r\nSkip-Images: 1\r\nFrom: a@b\r\n", MAIL));
        assertThat(reply.get("success").asBoolean()).isTrue();
        assertThat(reply.get("hashes").get(0).asString()).isEqualTo("0".repeat(128));
        assertThat(service.learns.getLast()).satisfies(request -> {
            assertThat(request.flag()).hasValue(11);
            assertThat(request.weight()).isEqualTo(3);
            assertThat(request.delete()).isFalse();
            assertThat(request.skip().images()).isTrue();
            assertThat(request.skip().texts()).isFalse();
            assertThat(request.context().from()).isEqualTo("a@b");
            assertThat(request.submitter()).get().satisfies(submitter -> {
                assertThat(submitter.client()).isNotEmpty();
                assertThat(submitter.credential()).isNotEmpty();
                assertThat(submitter.user()).isEmpty();
            });
        });
        ask("POST /fuzzydel", "Symbol: local_denied\r\n", MAIL);
        assertThat(service.learns.getLast().delete()).isTrue();
        assertThat(service.learns.getLast().flag()).hasValue(11);
        for (String weight : List.of("x", "99999999999")) {
            ask("POST /fuzzyadd", "Flag: 11\r\nWeight: " + weight + "\r\n", MAIL);
            assertThat(service.learns.getLast().weight()).isEqualTo(1);
        }
        ask("POST /fuzzyadd", "Flag: 11\r\nWeight: -7\r\n", MAIL);
        assertThat(service.learns.getLast().weight()).isEqualTo(-7);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"/fuzzyadd|Flag: 0|mail|404|Unknown or missing flag",
        "/fuzzyadd|Flag: x|mail|404|Unknown or missing flag",
        "/fuzzydel|Symbol: OTHER|mail|404|Unknown or missing flag",
        "/fuzzyadd|X: 1|mail|404|Unknown or missing flag",
        "/fuzzyadd|Flag: -1|mail|404|No fuzzy rules matched for flag -1",
        "/fuzzyadd|Flag: 99999999999|mail|404|No fuzzy rules matched for flag 99999999999",
        "/fuzzyadd|Flag: 11||400|Empty body is not permitted", "/fuzzydelhash|Flag: 11||400|No hash defined",
        "/plugins/fuzzy/hashes|Flag: 11|mail|404|missing rule or flag"})
    void errorsAreWordedAsInRspamd(String path, String header, String body, int status, String text) throws Exception {
        HttpReply reply = ask("POST " + path, header + "\r\n", body == null ? "" : body);
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.reason()).isEqualTo(text);
        assertThat(json(reply).get("error").asString()).isEqualTo(text);
    }

    @Test
    void answersUndecodableBodies() throws Exception {
        assertThat(ask("POST /fuzzyadd?flag=11", "Content-Encoding: gzip\r\n", MAIL).reason())
                .isEqualTo("Message load error");
        HttpReply empty = ask("POST /fuzzyadd?flag=11", "Compression: zstd\r\n",
                new String(Packing.zstd(new byte[0]), StandardCharsets.ISO_8859_1));
        assertThat(empty.reason()).as("what ends Rspamd 4.1.6").isEqualTo("Empty body is not permitted");
        HttpReply scan = ask("POST /checkv2", "Compression: zstd\r\n", MAIL);
        assertThat(scan.status()).isEqualTo(503);
        assertThat(scan.reason()).startsWith("Decompression error");
    }

    @Test
    void reportsEveryServerOfALearnRequest() throws Exception {
        service.report = CompletableFuture.completedFuture(new LearnReport(11,
                List.of(new LearnReport.RuleOutcome("local", 11, LearnReport.Decision.LEARNS, "", List.of(),
                        List.of(new LearnReport.ServerOutcome("a:1", LearnReport.Status.NO_ANSWER, 0, 2, 0, 2,
                                "no answer", List.of())))),
                List.of(), Optional.of(new LearnReport.Failure(LearnReport.Failure.Kind.NO_ANSWER,
                        "IO timeout with fuzzy storage"))));
        HttpReply reply = ask("POST /fuzzyadd?flag=11", "", MAIL);
        assertThat(reply.status()).isEqualTo(503);
        JsonNode server = json(reply).get("rules").get(0).get("servers").get(0);
        assertThat(server.get("status").asString()).isEqualTo("no_answer");
        assertThat(server.get("queued").asInt()).isEqualTo(2);
        assertThat(json(reply).has("success")).isFalse();
    }

    @Test
    void forgetsHashesAndRejectsMalformedOnes() throws Exception {
        ask("GET /fuzzydelhash", "Flag: 11\r\nHash: " + HEX + "\r\nHash: " + "f".repeat(128) + "\r\n", "");
        assertThat(service.forgotten).extracting(Digest::hex).containsExactly(HEX.toLowerCase(Locale.ROOT),
                "f".repeat(128));
        for (String hash : List.of("abc", "z".repeat(128), "0".repeat(127), "")) {
            assertThat(ask("GET /fuzzydelhash", "Flag: 11\r\nHash: " + hash + "\r\n", "").status()).isEqualTo(400);
        }
        assertThat(service.forgotten).hasSize(2);
    }

    @Test
    void listsHashes() throws Exception {
        service.listing.put("local", List.of(new HashListing.Hash("txt", FakeService.DIGEST, true),
                new HashListing.Hash("img", FakeService.DIGEST, false)));
        assertThat(text(ask("POST /plugins/fuzzy/hashes?flag=11", "", MAIL)))
                .isEqualTo("{\"success\":true,\"hashes\":{\"local\":[\"" + "0".repeat(128) + "\"]}}");
        assertThat(json(ask("POST /plugins/fuzzy/hashes?rule=LOCAL_DENIED", "", MAIL)).get("hashes").has("local"))
                .isTrue();
        assertThat(json(ask("POST /plugins/fuzzy/hashes?flag=12", "", MAIL)).get("hashes").isArray()).isTrue();
        assertThat(text(ask("GET /plugins/fuzzy/storages", "", "")))
                .isEqualTo("{\"success\":true,\"storages\":{\"local\":"
                        + "{\"servers\":[\"127.0.0.1:11335\"],\"read_only\":false,\"flags\":{\"LOCAL_DENIED\":11}},"
                        + "\"feed\":{\"read_servers\":[\"a:1\"],\"write_servers\":[\"b:2\"],\"read_only\":true,"
                        + "\"flags\":{\"FEED\":3}}}}");
        assertThat(json(ask("GET /plugins", "", "")).get("fuzzy").get("paths").size()).isEqualTo(2);
    }

    @Test
    void figures() throws Exception {
        service.scan = CompletableFuture.completedFuture(result(7, new SymbolResult("LOCAL_DENIED", "fuzzy", 7, 0, 12,
                List.of(), "")));
        ask("POST /checkv2", "", MAIL);
        ask("POST /fuzzyadd?flag=11", "", MAIL);
        JsonNode stat = json(ask("GET /stat", "", ""));
        assertThat(stat.get("scanned").asInt()).isEqualTo(1);
        assertThat(stat.get("learned").asInt()).isEqualTo(1);
        assertThat(stat.get("actions").get("add header").asInt()).isEqualTo(1);
        assertThat(stat.get("spam_count").asInt()).isEqualTo(1);
        assertThat(stat.get("fuzzy_hashes").get("local").asInt()).isEqualTo(20);
        assertThat(stat.get("scan_times").size()).isEqualTo(31);
        JsonNode auth = json(ask("GET /auth", "", ""));
        assertThat(auth.get("auth").asString()).isEqualTo("ok");
        assertThat(auth.get("version").asString()).isEqualTo("9.9");
        JsonNode counter = json(ask("GET /counters", "", "")).get(1);
        assertThat(counter.get("symbol").asString()).isEqualTo("LOCAL_DENIED");
        assertThat(counter.get("hits").asInt()).isEqualTo(1);
        assertThat(text(ask("GET /actions", "", ""))).isEqualTo("[{\"action\":\"reject\",\"value\":15.0},"
                + "{\"action\":\"add header\",\"value\":6.0},{\"action\":\"greylist\",\"value\":4.0}]");
        JsonNode symbols = json(ask("GET /symbols", "", ""));
        assertThat(symbols.get(0).get("group").asString()).isEqualTo("fuzzy");
        assertThat(symbols.get(0).get("rules").size()).isEqualTo(2);
        assertThat(json(ask("POST /statreset", "", "")).get("scanned").asInt()).isEqualTo(1);
        assertThat(json(ask("GET /stat", "", "")).get("scanned").asInt()).isZero();
    }

    @Test
    void metricsAndHealth() throws Exception {
        ask("POST /checkv2", "", MAIL);
        HttpReply metrics = ask("GET /metrics", "", "");
        assertThat(metrics.type()).startsWith("text/plain; version=0.0.4");
        assertThat(text(metrics)).contains("weir_http_requests_total{path=\"/checkv2\",status=\"200\"} 1\n")
                .contains("weir_scan_seconds_count 1\n").contains("other_figure 42\n").contains("weir_healthy 1\n")
                .contains("weir_rule_hashes{rule=\"local\"} 20\n");
        assertThat(text(ask("GET /metrics", "Accept: application/openmetrics-text\r\n", ""))).endsWith("# EOF\n");
        for (String path : List.of("/healthz", "/healthy", "/ready")) {
            assertThat(text(ask("GET " + path, "", ""))).isEqualTo("{\"success\":true}");
        }
        failures.set(List.of(new Health.Failure("the log cannot be written", "/srv/weir/updates/1.log: I/O error"),
                new Health.Failure("the database cannot be written", "")));
        HttpReply sick = ask("GET /healthz", "", "");
        assertThat(sick.status()).isEqualTo(503);
        assertThat(json(sick).get("error").asString())
                .isEqualTo("the log cannot be written; the database cannot be written");
        // All clients may ask for /healthz, so what tells of the machine is only for those who may read.
        assertThat(new String(sick.toBytes(""), StandardCharsets.UTF_8)).doesNotContain("/srv");
        for (String path : List.of("/healthy", "/ready")) {
            assertThat(json(ask("GET " + path, "", "")).get("error").asString()).isEqualTo(
                    "the log cannot be written: /srv/weir/updates/1.log: I/O error; the database cannot be written");
        }
        assertThat(text(ask("GET /metrics", "", ""))).contains("weir_healthy 0\n");
    }

    @Test
    void pingUnknownPathsAndMethods() throws Exception {
        assertThat(text(ask("GET /ping", "", ""))).isEqualTo("pong\r\n");
        HttpReply unknown = ask("GET /fuzzyhashes", "", "");
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.type()).isEqualTo("text/plain");
        assertThat(text(unknown)).isEqualTo("Not found");
        assertThat(ask("GET /ping/", "", "").status()).isEqualTo(404);
        assertThat(ask("HEAD /unknown", "", "").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ping", "/healthz", "/healthy", "/ready", "/metrics", "/stat", "/auth", "/symbols",
        "/actions", "/counters", "/plugins", "/plugins/fuzzy/storages", "/api/session", "/checkv2"})
    void headIsGetAndOtherMethodsAreRefused(String path) throws Exception {
        assertThat(ask("HEAD " + path, "", "").status()).isEqualTo(ask("GET " + path, "", "").status());
        for (String method : List.of("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "XYZ")) {
            HttpReply reply = ask(method + " " + path, "", "");
            assertThat(reply.status()).isEqualTo(405);
            assertThat(reply.headers()).contains(new HttpHeaders.Field("Allow", "GET, HEAD, POST"));
        }
    }

    @ParameterizedTest
    @CsvSource({"HEAD,/statreset", "PUT,/statreset", "HEAD,/fuzzydelhash", "GET,/api/login", "HEAD,/api/login",
        "GET,/api/logout", "DELETE,/fuzzyadd"})
    void whatChangesSomethingTakesAPost(String method, String path) throws Exception {
        HttpReply reply = ask(method + " " + path + "?password=x&flag=11", "Filename: x\r\n", "");
        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.headers()).contains(new HttpHeaders.Field("Allow", "POST"));
    }

    @Test
    void aPictureThatLogsInCountsNoFailure() throws Exception {
        Controller guarded = controller(TestRules.password("read"));
        for (int i = 0; i < 20; i++) {
            assertThat(ask(guarded, "GET /api/login?password=x HTTP/1.1\r\nHost: 127.0.0.1:11334\r\n\r\n").status())
                    .isEqualTo(405);
        }
        assertThat(ask(guarded, "GET /stat?password=read HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
        assertThat(ask(guarded, "POST /api/login HTTP/1.0\r\nPassword: read\r\n\r\n").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/checkv2", "/check", "/symbols", "/stat", "/auth", "/counters", "/actions", "/metrics",
        "/healthy", "/ready", "/plugins", "/plugins/fuzzy/hashes", "/plugins/fuzzy/storages", "/fuzzyadd", "/fuzzydel",
        "/fuzzydelhash", "/statreset"})
    void whatNeedsAPasswordIsRefusedWithoutOne(String path) throws Exception {
        Controller guarded = controller(TestRules.of(Optional.of("read"), Optional.of("write"), Optional.empty()));
        boolean changes = path.startsWith("/fuzzy") || path.equals("/statreset");
        String method = changes ? "POST " : "GET ";
        assertThat(ask(guarded, method + path + " HTTP/1.0\r\n\r\n").status()).isEqualTo(401);
        assertThat(ask(guarded, method + path + " HTTP/1.0\r\nPassword: read\r\n\r\n").status() == 401)
                .isEqualTo(changes);
        assertThat(ask(guarded, method + path + "?password=write HTTP/1.0\r\n\r\n").status()).isNotEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"GET /fuzzydelhash?flag=11&hash=%s|X: 1|405",
        "GET /fuzzydelhash?flag=11&hash=%s&password=x|Referer: http://evil.example/|405",
        "OPTIONS /fuzzydelhash?flag=11&hash=%s|Access-Control-Request-Method: GET|405",
        "GET /fuzzyadd?flag=11|X: 1|405", "GET /statreset|X: 1|405", "GET /statreset?filename=x|X: 1|405",
        "GET /statreset|Filename: stdin|200", "GET /fuzzydelhash?hash=%s|Flag: 11|200",
        "POST /fuzzydelhash?flag=11&hash=%s|X: 1|200",
        "POST /fuzzydelhash?flag=11&hash=%s|Origin: http://evil.example|403",
        "POST /fuzzydelhash?flag=11&hash=%s|Sec-Fetch-Site: cross-site|403",
        "POST /fuzzydelhash?flag=11&hash=%s|Host: evil.example|403", "GET /stat|Host: evil.example|403",
        "GET /stat|Sec-Fetch-Site: same-site|403", "GET /stat|Sec-Fetch-Site: none|200",
        "GET /ping|Sec-Fetch-Site: cross-site|200"})
    void aBrowserChangesNothingForAPage(String line, String header, int status) throws Exception {
        HttpReply reply = ask(line.formatted(HEX), header + "\r\n", "");
        assertThat(reply.status()).isEqualTo(status);
        assertThat(service.forgotten.isEmpty()).isEqualTo(status != 200 || !line.contains("delhash"));
        assertThat(text(ask("GET /metrics", "", ""))).contains(
                "weir_http_requests_total{path=\"" + line.replaceFirst("^\\S+ ([a-z/]+).*", "$1") + "\",status=\""
                        + status
                        + "\"} 1\n");
    }

    @Test
    void readsNoBodyOfAClientWithoutAccess() throws Exception {
        Controller guarded = controller(TestRules.password("read"));
        HttpBody unread = _ -> {
            throw new AssertionError("the body is read");
        };
        try (BodyBudget.Share share = new BodyBudget(1).share()) {
            for (String path : List.of("/fuzzyadd", "/checkv2", "/unknown", "/plugins/fuzzy/hashes")) {
                HttpHead head = new HttpHead("POST", path, HttpHeaders.NONE, HttpHeaders.NONE);
                assertThat(guarded.handle(head, unread, Client.of(InetAddress.ofLiteral("192.0.2.1")), share).status())
                        .isIn(401, 404);
            }
            for (String open : List.of("/ping", "/healthz")) {
                HttpHead head = new HttpHead("POST", open, HttpHeaders.NONE, HttpHeaders.NONE);
                assertThat(guarded.handle(head, unread, Client.of(InetAddress.ofLiteral("192.0.2.1")), share).status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void answersAThrottledGuesserAccordingly() throws Exception {
        Controller guarded = controller(TestRules.password("read"));
        HttpReply[] replies = new HttpReply[12];
        for (int i = 0; i < replies.length; i++) {
            replies[i] = ask(guarded, "GET /stat?password=" + i + " HTTP/1.0\r\n\r\n");
        }
        assertThat(Arrays.stream(replies).limit(10)).allMatch(reply -> reply.status() == 401);
        assertThat(replies[11].status()).isEqualTo(429);
        assertThat(replies[11].reason()).isEqualTo("Too many authentication failures");
        assertThat(ask(guarded, "GET /ping HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
        assertThat(ask(guarded, "GET /healthz HTTP/1.0\r\n\r\n").status()).isEqualTo(200);
    }
}
