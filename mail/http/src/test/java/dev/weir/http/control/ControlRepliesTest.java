package dev.weir.http.control;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import dev.weir.config.map.MapAddress;
import dev.weir.http.control.StorageCommands.Reloaded;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Limits;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.brake.MassRemoval;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.UdpClient;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares each reply of the control socket with a recorded one. The recording has a line with each request and a line
 * with its status, its reason if it is an error, and its body.
 */
@Timeout(120)
final class ControlRepliesTest {
    private static final String RECORDING = "control-replies.txt";
    private static final long SECONDS = 1_800_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(SECONDS);
    private static final Digest FIRST = Digest.read(bytes(0x11), 0);
    private static final Digest SECOND = Digest.read(bytes(0x22), 0);
    private static final Digest PLAIN = Digest.read(bytes(0x33), 0);

    private static final Pattern KEY = Pattern.compile("\"key\":\"([a-z0-9]{52})\"");
    private static final Pattern UNDO = Pattern.compile("(undo-\\d{8}T\\d{6}Z-[0-9a-f]{4})");

    /** What differs between two runs: names that are random, and what time and disk decide. */
    private static final Map<String, Pattern> NAMES = Map.of("KEY", KEY,
            "UNDO", UNDO,
            "REMOVAL", Pattern.compile("\"id\":\"(copy-\\w+)\""));
    private static final Pattern MEASURED = Pattern
            .compile(
                    "(?<=\"(p50|p99|p999|log_bytes|queued|pending|mirror_lag|position|behind|lag|workers)\":\\{?)"
                            + "\"?[\\d.]+");

    private final Map<String, String> names = new HashMap<>();

    private static byte[] bytes(int value) {
        byte[] bytes = new byte[Digest.BYTES];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** Returns 32 shingles, of which the first ones differ from those of the other hashes. */
    private static long[] shingles(int changed) {
        return LongStream.range(0, Signature.SLOTS).map(i -> i < changed ? 1_000 + i : 1 + i).toArray();
    }

    private static void learn(StorageServer server, Digest digest, int flag, int weight, long @Nullable [] shingles,
            @Nullable UpdateSubmitter submitter) throws Exception {
        CompletableFuture<Boolean> stored = new CompletableFuture<>();
        assertThat(server.hashes().offer(new QueuedUpdate(new Update.Write(digest, flag, weight, SECONDS - 60,
                shingles == null ? null : Signature.of(shingles, 0)),
                new UpdateOrigin(InetAddress.ofLiteral("192.0.2.7"), 4711, flag, bytes(flag), submitter),
                new QueuedUpdate.Outcome() {
                    @Override
                    public void stored() {
                        stored.complete(true);
                    }

                    @Override
                    public void failed() {
                        stored.complete(false);
                    }
                }))).isTrue();
        assertThat(stored.get(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void prepare(StorageServer server) throws Exception {
        UpdateSubmitter submitter = new UpdateSubmitter("198.51.100.9", "password", "anna", "x@example.org");
        learn(server, FIRST, 3, 10, shingles(0), submitter);
        learn(server, FIRST, 4, 7, shingles(0), null);
        learn(server, SECOND, 3, 5, shingles(4), submitter);
        learn(server, PLAIN, 11, 2, null, new UpdateSubmitter("198.51.100.9", "password", "", "y@example.org"));
        server.gate().blocks().block(Network.of("203.0.113.0/24"), null, 403);
        server.samples().keepFor(Duration.ofDays(1));
        server.samples().keep(FIRST, "an offer", "the very best watches");
        try (UdpClient client = new UdpClient(server.addresses().getFirst())) {
            client.check(FIRST, null);
            client.check(FIRST, null);
            client.check(SECOND, null);
        }
        // Hits are collected once a second.
        while (server.hits().of(SECOND, server.hashes().now()).isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static List<String> recording() throws IOException {
        try (InputStream in = Objects.requireNonNull(ControlRepliesTest.class.getResourceAsStream(RECORDING))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private String ask(Map<String, ControlAction> commands, String request) {
        String[] parts = request.split("\\?", 2);
        Map<String, String> query = new HashMap<>();
        for (String argument : parts.length < 2 ? new String[0] : parts[1].split("&", -1)) {
            String[] pair = argument.split("=", 2);
            String value = pair[1].replace("LONG", "x".repeat(1_001)).replace("FIRST", FIRST.hex())
                    .replace("SECOND", SECOND.hex()).replace("PLAIN", PLAIN.hex())
                    .replace("SHINGLES",
                            LongStream.of(shingles(2)).mapToObj("%016x"::formatted).collect(Collectors.joining()));
            query.put(pair[0], names.getOrDefault(value, value));
        }
        HttpReply reply = Objects.requireNonNull(commands.get(parts[0]), parts[0]).run(query);
        return reply.status() + " " + (reply.status() == 200 ? "" : reply.reason() + " ")
                + new String(reply.body(), StandardCharsets.UTF_8);
    }

    private String masked(String reply, Path folder) {
        String masked = reply;
        for (Map.Entry<String, Pattern> name : NAMES.entrySet()) {
            Matcher matcher = name.getValue().matcher(reply);
            if (matcher.find()) {
                names.putIfAbsent(name.getKey(), matcher.group(1));
            }
        }
        for (Map.Entry<String, String> name : names.entrySet()) {
            masked = masked.replace(name.getValue(), name.getKey());
        }
        return MEASURED.matcher(UNDO.matcher(KEY.matcher(masked).replaceAll("\"key\":\"OTHER\""))
                .replaceAll("UNDO")
                .replace(folder.toString(), "FOLDER").replace(FIRST.hex(), "FIRST").replace(SECOND.hex(), "SECOND")
                .replace(PLAIN.hex(), "PLAIN")).replaceAll("N");
    }

    @Test
    void eachReplyIsTheRecordedOne(@TempDir Path folder) throws Exception {
        Path keys = Files.writeString(folder.resolve("keys"), "[]");
        List<MapAddress> places = new ArrayList<>();
        Setup setup = new Setup(List::of, () -> places, List::of);
        StorageConfig config = StorageConfig.of(folder.resolve("data"))
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()).withClock(CLOCK);
        config = config.withAccess(config.access().withLimits(
                new Limits(NetworkLimit.of(new RateLimit(1_000, 500)), false)).withKeys(
                        List.of(new ServerKey(
                                KeyPair.generate(new SecureRandom()), KeyRules.DEFAULT.withName("customer", "")
                                        .withLimit(new RateLimit(10, 2.5))))));
        StringBuilder replies = new StringBuilder();
        try (StorageServer server = new StorageServer(config)) {
            server.start();
            prepare(server);
            Map<String, ControlAction> commands = StorageCommands.of(server, config, setup,
                    () -> new Reloaded(false, List.of("not in this test")));
            List<String> recorded = recording();
            for (String request : recorded.stream().filter(line -> line.startsWith("/")).toList()) {
                if (request.equals("/keys?")) {
                    MapAddress.parse(keys.toString()).ifPresent(places::add);
                } else if (request.equals("/removals?")) {
                    server.brake()
                            .mayRemove(new MassRemoval("copy", "leader 1", "the leader lacks them", 2_000, 3_000));
                }
                replies.append(request).append('\n').append(masked(ask(commands, request.replaceAll("\\?$", "")),
                        folder)).append('\n');
            }
            // Copy it to the recording after a change that is meant.
            Files.writeString(Files.createDirectories(Path.of("target")).resolve(RECORDING), replies);
            assertThat(replies.toString().lines().toList()).isEqualTo(recorded);
        }
    }
}
