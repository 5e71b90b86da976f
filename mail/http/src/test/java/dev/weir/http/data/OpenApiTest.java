package dev.weir.http.data;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import dev.weir.config.Configuration;
import dev.weir.config.map.MapAddress;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.Ucl;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclSettings;
import dev.weir.hash.MailHasher;
import dev.weir.http.HttpService;
import dev.weir.http.access.AccessLevel;
import dev.weir.http.controller.Actions;
import dev.weir.http.controller.MailService;
import dev.weir.http.controller.Route;
import dev.weir.http.metrics.StorageMetrics;
import dev.weir.http.settings.HttpSettings;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.waves.WaveSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The description {@code /api/openapi.json} and the endpoints: each has what the other says. */
@Timeout(120)
final class OpenApiTest {
    private static final String MAIL = "From: a@example.org\r\nMessage-ID: <x@example.org>\r\nSubject: offer\r\n\r\n"
            + "dear friend we have a wonderful offer of the very best watches for you today only\r\n".repeat(12);
    private static final String DIGEST = "ab".repeat(64);

    /** The request to each endpoint that answers at once. */
    private static final Map<String, String> QUERIES = Map.ofEntries(
            Map.entry("/api/now", ""),
            Map.entry("/api/history", "?span=day"),
            Map.entry("/api/campaigns", "?by=hour&most=5"),
            Map.entry("/api/waves", "?by=hour&most=5"),
            Map.entry("/api/wave", "?learn=12&weight=2&wave="),
            Map.entry("/api/find", "?q=" + DIGEST),
            Map.entry("/api/why", ""),
            Map.entry("/api/compare", "?first=" + MAIL.length()),
            Map.entry("/api/rehearse", "?mail=x@example.org"),
            Map.entry("/api/undo", "?mail=x@example.org&operator=me"),
            Map.entry("/api/access", ""),
            Map.entry("/api/skip", "?days=1&reason=footer&digest=" + DIGEST),
            Map.entry("/api/keys", ""),
            Map.entry("/api/key", "?name=customer&operations=read,write&burst=100&rate=2.5&expire=2099-01-31"
                    + "&hidden_flags=1,11"),
            Map.entry("/api/settings", ""),
            Map.entry("/api/doctor", "?flag=11"),
            Map.entry("/api/openapi.json", ""));

    private final ArrayDeque<AutoCloseable> open = new ArrayDeque<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Route> routes = new ArrayList<>();
    private String base = "";

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        StorageServer storage = new StorageServer(StorageConfig.of(folder)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback())
                .withWaves(WaveSettings.counting().withTable(1_000, Duration.ofDays(1))));
        open.push(storage);
        String text = """
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "LOCAL"; mime_types = ["*"]; max_score = 20;
                  read_only = false; fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } }
                } }
                """.formatted(storage.start().getPort());
        UclObject root = (UclObject) Ucl.parse("test.conf", text, UclSettings.PLAIN).root();
        FuzzyCheck client = FuzzyCheck.open(FuzzyCheckSettings.of(new Configuration(Configuration.Shape.WHOLE_FILE,
                "test.conf", root, List.of(), List.of()), new DiskFiles()), MailHasher.standard(),
                FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        open.push(client);
        StorageMetrics figures = new StorageMetrics(storage::stats);
        Path keys = Files.writeString(folder.resolve("keys"), "[]");
        DataRoutes data = new DataRoutes(storage, client, figures, new Setup(List::of,
                () -> MapAddress.parse(keys.toString()).stream().toList(), List::of));
        routes.addAll(data.routes());
        HttpService service = HttpService.of(HttpSettings.local(Actions.DEFAULT)
                .withBinds(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))),
                MailService.of(client), figures, figures, "9.9", routes);
        open.push(service);
        open.push(data);
        base = "http://127.0.0.1:" + ((InetSocketAddress) service.start().getFirst()).getPort();
    }

    @AfterEach
    void stop() throws Exception {
        http.close();
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private JsonNode ask(String method, String path) throws Exception {
        HttpRequest.BodyPublisher body = method.equals("post")
                ? HttpRequest.BodyPublishers.ofString(path.startsWith("/api/compare") ? MAIL + MAIL : MAIL)
                : HttpRequest.BodyPublishers.noBody();
        HttpResponse<String> reply = http.send(HttpRequest.newBuilder(URI.create(base + path))
                .method(method.equals("post") ? "POST" : "GET", body).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(reply.statusCode()).as("%s: %s", path, reply.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(reply.body());
    }

    private JsonNode paths() throws Exception {
        return ask("get", "/api/openapi.json").get("paths");
    }

    private static String access(AccessLevel level) {
        return switch (level) {
            case OPEN -> "open";
            case READ -> "read";
            case PRIVILEGED -> "change";
        };
    }

    @Test
    void describesEachEndpointWithItsAccess() throws Exception {
        Map<String, String> described = new TreeMap<>();
        paths().properties().forEach(path -> path.getValue().forEach(
                operation -> described.put(path.getKey(), operation.get("x-access").asString())));
        Map<String, String> served = new TreeMap<>();
        routes.forEach(route -> served.put(route.path(), access(route.access())));
        assertThat(described).isEqualTo(served);
    }

    @Test
    void eachAnswerHasTheDescribedMembers() throws Exception {
        String wave = wave();
        ask("post", "/fuzzyadd?flag=11&weight=20");
        String revision = ask("get", "/api/rehearse" + QUERIES.get("/api/rehearse")).get("revision").asString();
        List<String> asked = new ArrayList<>();
        for (Map.Entry<String, JsonNode> path : paths().properties()) {
            Map.Entry<String, JsonNode> operation = path.getValue().properties().iterator().next();
            JsonNode json = operation.getValue().get("responses").get("200").get("content").get("application/json");
            // No network is blocked here that could be unblocked, and events have no end.
            if (json == null || path.getKey().equals("/api/unblock")) {
                continue;
            }
            asked.add(path.getKey());
            JsonNode answer = ask(operation.getKey(), path.getKey() + QUERIES.get(path.getKey())
                    + (path.getKey().equals("/api/undo") ? "&revision=" + revision : "")
                    + (path.getKey().equals("/api/wave") ? wave : ""));
            JsonNode schema = json.get("schema");
            for (JsonNode name : schema.get("required")) {
                assertThat(answer.has(name.asString())).as("%s has %s", path.getKey(), name).isTrue();
            }
            assertThat(schema.get("properties").propertyNames()).as("the members of %s are described", path.getKey())
                    .containsAll(answer.propertyNames());
            schema.get("properties").properties().forEach(property -> {
                if (answer.has(property.getKey())) {
                    assertThat(kind(answer.get(property.getKey()))).as("%s %s", path.getKey(), property.getKey())
                            .isEqualTo(property.getValue().get("type").asString());
                }
            });
        }
        assertThat(asked).containsExactlyInAnyOrderElementsOf(QUERIES.keySet());
    }

    /** Checks a mail twice, and returns the name of its wave. */
    private String wave() throws Exception {
        ask("post", "/checkv2");
        ask("post", "/checkv2");
        for (int i = 0; i < 1_200; i++) {
            JsonNode waves = ask("get", "/api/waves?by=hour").get("waves");
            if (!waves.isEmpty()) {
                return waves.get(0).get("name").asString();
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        throw new AssertionError("no wave");
    }

    private static String kind(JsonNode node) {
        return node.isString()
                ? "string"
                : node.isNumber()
                        ? "number"
                        : node.isBoolean() ? "boolean" : node.isArray() ? "array" : node.isObject() ? "object" : "null";
    }
}
