package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.testkit.RedisServer;
import dev.weir.testkit.UdpClient;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * SIGKILL ends all nodes a moment after their Redis was saved and after Redis confirmed what they learned since. Then
 * Redis comes back from what it had saved, and the nodes start again.
 */
class ManyNodesRollbackTest {
    private static final int SAVED = 60;
    private static final int LATER = 40;
    private static final int ROUNDS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("redis-server");
    }

    private static Digest digest(int number) {
        return Digest.ofWords(new SplittableRandom(number).longs(Digest.WORDS).toArray(), 0);
    }

    /** Returns a configuration by which an update is acknowledged when Redis has it. */
    private Path configuration(int node, int redis) throws IOException {
        Path folder = Files.createDirectories(scratch.resolve("node" + node));
        return Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1"; expire = 90d;
                  backend = "redis"; servers = "127.0.0.1:%d"; redis_layout = "weir"; redis_shards = 2;
                  acknowledge = "shared"; redis_ack_timeout = 60s; # the machine may be busy
                }
                """.formatted(folder, redis));
    }

    private static UdpClient client(WeirStorage node) throws IOException {
        return new UdpClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port()), "127.0.0.1",
                60_000);
    }

    private static void learn(WeirStorage node, int from, int to, int weight) throws IOException {
        try (UdpClient client = client(node)) {
            for (int i = from; i < to; i++) {
                assertThat(client.write(digest(i), 1, weight, null).isMatch()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatWasAcknowledgedIsThere(int count) throws Exception {
        List<WeirStorage> nodes = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(scratch, "--dbfilename", "dump.rdb")) {
            List<Path> configurations = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                configurations.add(configuration(i, redis.port()));
                nodes.add(WeirStorage.configured(configurations.get(i)));
            }
            int saved = 0;
            int later = 0;
            for (int round = 0; round < ROUNDS; round++) {
                for (WeirStorage node : nodes) {
                    learn(node, 0, SAVED, 5);
                    saved += 5;
                }
                try (Jedis client = new Jedis("127.0.0.1", redis.port())) {
                    client.save();
                }
                for (WeirStorage node : nodes) {
                    learn(node, 0, SAVED + LATER, 1);
                    saved++;
                    later++;
                }
                for (WeirStorage node : nodes) {
                    node.kill();
                }
                redis.kill();
                redis.restart();
                for (int i = 0; i < count; i++) {
                    nodes.set(i, WeirStorage.configured(configurations.get(i)));
                }
                for (WeirStorage node : nodes) {
                    check(node, saved, later, count > 1);
                }
            }
        } finally {
            nodes.forEach(WeirStorage::close);
        }
    }

    /**
     * Waits until a node has everything that was acknowledged at any node.
     *
     * @param twice whether what was learned since Redis was saved may count twice, because the position of a node is up
     *            to two seconds older than its hashes (docs/operate/nodes.md#what-redis-lost-comes-back)
     */
    private static void check(WeirStorage node, int saved, int later, boolean twice) throws IOException {
        try (UdpClient client = client(node)) {
            for (int i = 0; i < SAVED + LATER; i++) {
                int number = i;
                long least = i < SAVED ? saved : later;
                long value = await("a value of %d".formatted(least)).atMost(PATIENCE).pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(20))
                        .until(() -> (long) client.check(digest(number), null).value(), found -> found >= least);
                assertThat(value).isBetween(least, twice ? least + later : least);
            }
        }
    }
}
