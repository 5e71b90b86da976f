package dev.weir.http.control;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.http.control.StorageCommands.Reloaded;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

final class StorageCommandsTest {
    private static final long SECONDS = 1_800_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(SECONDS);
    private static final Digest DIGEST = Digest.ofWords(new long[]{1, 2, 3, 4, 5, 6, 7, 8}, 0);

    @TempDir
    private Path folder = Path.of("");

    private StorageConfig config() {
        return StorageConfig.of(folder).withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withClock(CLOCK);
    }

    private static HttpReply ask(StorageServer server, StorageConfig config, Map<String, String> query) {
        return ask("/fuzzyhash", server, config, query);
    }

    private static HttpReply ask(String path, StorageServer server, StorageConfig config, Map<String, String> query) {
        ControlAction command = Objects.requireNonNull(
                StorageCommands.of(server, config, Setup.NONE, () -> new Reloaded(true, List.of())).get(path));
        return command.run(query);
    }

    private static JsonNode worker(HttpReply reply) {
        return JsonMapper.shared().readTree(reply.body()).get("workers").iterator().next();
    }

    private static JsonNode data(HttpReply reply) {
        JsonNode worker = worker(reply);
        assertThat(worker.get("status").asInt()).isZero();
        return worker.get("data");
    }

    @Test
    void showsEachFlagOfADigestWithItsOwnTime() throws Exception {
        StorageConfig config = config();
        EngineConfig engine = EngineConfig.of(Duration.ZERO, Duration.ofSeconds(5), Acknowledge.DURABLE,
                LogLimits.DEFAULT, CLOCK);
        try (StorageEngine learning = StorageEngine.start(engine, EngineFolder.open(folder))) {
            learning.apply(new Update.Write(DIGEST, 3, 10, SECONDS - 100, null)).join();
            learning.apply(new Update.Write(DIGEST, 4, 7, SECONDS, null)).join();
        }
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            JsonNode data = data(ask(server, config, Map.of("digest", DIGEST.hex())));
            assertThat(data.toString()).isEqualTo("{\"found\":true,\"value\":10,\"created\":1799999900,\"flag\":3,"
                    + "\"extra_flags\":[{\"flag\":4,\"value\":7,\"created\":1800000000}]}");
            assertThat(data(ask(server, config, Map.of("digest", "ab".repeat(64)))).toString())
                    .isEqualTo("{\"found\":false}");
        }
    }

    @Test
    void aSyncFailsIfTheMirrorCannotBeWritten() throws Exception {
        Path place = folder.resolve("absent");
        StorageConfig config = config().withBackend(BackendKind.STORE).withMirror(place.resolve("mirror.db"));
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            JsonNode failed = worker(ask("/fuzzysync", server, config, Map.of()));
            assertThat(failed.get("status").asInt()).isPositive();
            assertThat(failed.get("error").asString()).startsWith("the mirror " + place.resolve("mirror.db") + ": ");
            Files.createDirectory(place);
            assertThat(worker(ask("/fuzzysync", server, config, Map.of())).get("status").asInt()).isZero();
        }
    }

    @Test
    void refusesAMalformedDigest() throws Exception {
        StorageConfig config = config();
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            for (Map<String, String> query : List.of(Map.<String, String>of(), Map.of("digest", "ab".repeat(63)),
                    Map.of("digest", "ab".repeat(65)), Map.of("digest", "xy".repeat(64)))) {
                HttpReply reply = ask(server, config, query);
                assertThat(reply.status()).isEqualTo(400);
                assertThat(reply.reason()).isEqualTo("fuzzyhash requires ?digest=<128 hex characters>");
            }
        }
    }
}
