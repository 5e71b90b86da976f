package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.storage.engine.StorageEngine;
import dev.weir.testkit.FreePort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/** Three nodes with real Sentinels and with a real Cluster, whose masters are killed under load. */
@Tag("peers")
@Timeout(300)
class SharedTopologiesTest {
    private static final String[] QUICK = {"--repl-diskless-sync-delay", "0", "--repl-timeout", "5"};

    @TempDir
    private Path scratch;

    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<Process> sentinels = new ArrayList<>();

    @Test
    void sentinelsReplaceAMasterUnderLoad() throws Exception {
        try {
            RedisProcess master = start();
            for (int i = 0; i < 2; i++) {
                start("--replicaof", "127.0.0.1 " + master.port());
            }
            List<RedisAddress> places = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                places.add(sentinel(master.port()));
            }
            SharedSettings settings = SharedSettingsBuilder.at(master.address())
                    .servers(SharedSettings.Mode.SENTINEL, places, "weir").reconcile(Duration.ZERO)
                    .layout(SharedLayout.WEIR, 2).build();
            SharedCluster.await("the Sentinels know the replicas and each other", () -> places.stream()
                    .allMatch(place -> knows(place)));
            load(settings, master);
            assertThat(place(places.getFirst()).port()).isNotEqualTo(master.port());
        } finally {
            close();
        }
    }

    @Test
    void aClusterReplacesAMasterUnderLoad() throws Exception {
        try {
            List<String> command = new ArrayList<>(List.of("redis-cli", "--cluster", "create"));
            for (int i = 0; i < 6; i++) {
                RedisProcess server = start("--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
                command.add("127.0.0.1:" + server.port());
            }
            command.addAll(List.of("--cluster-replicas", "1", "--cluster-yes"));
            Process created = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(created.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(created.waitFor()).as(said).isZero();
            SharedCluster.await("the Cluster works", () -> servers.stream().allMatch(SharedTopologiesTest::isSound));
            SharedSettings settings = SharedSettingsBuilder.at(servers.getLast().address())
                    .layout(SharedLayout.WEIR, 6)
                    .servers(SharedSettings.Mode.CLUSTER,
                            servers.reversed().stream().map(RedisProcess::address).toList(),
                            "")
                    .reconcile(Duration.ZERO).build();
            load(settings, servers.getFirst());
        } finally {
            close();
        }
    }

    /** Three nodes learn while the master is killed. Replication is asynchronous, so it may lose what it answered. */
    private void load(SharedSettings settings, RedisProcess master) throws Exception {
        try (SharedCluster cluster = new SharedCluster(scratch, settings)) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                StorageEngine node = cluster.add();
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int round = 0; round < 100; round++) {
                        SharedCluster.learn(node, SharedNodesTest.ones(100));
                    }
                }));
            }
            SharedCluster.await("half is learned", () -> cluster.node(0).stats().revision() > 5_000);
            master.kill();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(cluster.converge(SharedNodesTest.digests(100)).lines()).hasSize(100)
                    .allMatch(line -> line.contains(" 1=300@"));
            // The old master comes back as a replica.
            master.restart();
            SharedCluster.learn(cluster.node(1), SharedNodesTest.ones(100));
            cluster.add();
            assertThat(cluster.converge(SharedNodesTest.digests(100)).lines()).hasSize(100)
                    .allMatch(line -> line.contains(" 1=301@"));
        }
    }

    private RedisProcess start(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(QUICK));
        all.addAll(List.of(options));
        RedisProcess server = RedisProcess.start(scratch, all.toArray(String[]::new));
        servers.add(server);
        return server;
    }

    private RedisAddress sentinel(int master) throws IOException {
        int port = FreePort.find();
        Path folder = Files.createTempDirectory(scratch, "sentinel");
        Path file = Files.writeString(folder.resolve("sentinel.conf"), """
                port %d
                bind 127.0.0.1
                dir %s
                sentinel monitor weir 127.0.0.1 %d 2
                sentinel down-after-milliseconds weir 1000
                sentinel failover-timeout weir 5000
                """.formatted(port, folder, master));
        sentinels.add(new ProcessBuilder("redis-server", file.toString(), "--sentinel").redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile()).start());
        return new RedisAddress("127.0.0.1", port);
    }

    private static boolean knows(RedisAddress sentinel) {
        try (Jedis client = new Jedis(sentinel.host(), sentinel.port())) {
            return client.sentinelReplicas("weir").size() == 2
                    && "2".equals(client.sentinelMaster("weir").get("num-other-sentinels"));
        } catch (redis.clients.jedis.exceptions.JedisException e) {
            return false;
        }
    }

    private static RedisAddress place(RedisAddress sentinel) {
        try (Jedis client = new Jedis(sentinel.host(), sentinel.port())) {
            List<String> address = client.sentinelGetMasterAddrByName("weir");
            return new RedisAddress(address.getFirst(), Integer.parseInt(address.getLast()));
        }
    }

    private static boolean isSound(RedisProcess server) {
        try (Jedis client = server.client()) {
            return client.clusterInfo().contains("cluster_state:ok")
                    && client.clusterNodes().lines().filter(line -> line.contains("slave")).count() == 3;
        }
    }

    private void close() throws InterruptedException {
        for (Process sentinel : sentinels) {
            sentinel.destroyForcibly();
            sentinel.waitFor(30, TimeUnit.SECONDS);
        }
        servers.forEach(RedisProcess::close);
    }
}
