package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.StorageEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes with one real Redis. */
@Timeout(120)
class SharedNodesTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final int HASHES = 300;

    @TempDir
    private Path scratch;

    static List<Digest> digests(int count) {
        List<Digest> digests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            digests.add(Samples.digest(i));
        }
        return digests;
    }

    /** Updates of a few digests by one node, of every kind. */
    static List<Update> mix(long seed, int count, int hashes) {
        Random random = new Random(seed);
        List<Update> updates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int n = random.nextInt(hashes);
            Digest digest = Samples.digest(n);
            int kind = random.nextInt(20);
            if (kind == 0) {
                updates.add(new Update.DeleteAll(digest));
            } else if (kind == 1) {
                updates.add(new Update.Delete(digest, 1 + random.nextInt(3)));
            } else if (kind == 2) {
                updates.add(new Update.Refresh(digest, NOW + random.nextInt(50)));
            } else {
                updates.add(Samples.write(n, 1 + random.nextInt(3), 1 + random.nextInt(10), NOW - random.nextInt(50),
                        n % 2 == 0 ? Samples.signature(n) : null));
            }
        }
        return updates;
    }

    private SharedSettings settings(RedisProcess redis, SharedLayout layout) {
        SharedSettings plain = SharedSettings.at(redis.address()).lookingForOthers(Duration.ZERO, false);
        return layout == SharedLayout.RSPAMD ? plain : plain.with(SharedLayout.WEIR, 4);
    }

    private void convergence(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                StorageEngine node = cluster.add();
                long seed = i;
                threads.add(Thread.ofPlatform().start(() -> SharedCluster.learn(node, mix(seed, 3_000, HASHES))));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            String state = cluster.converge(digests(HASHES));
            assertThat(state.lines().count()).isGreaterThan(HASHES / 2);
            // A new node begins with a scan.
            cluster.add();
            assertThat(cluster.converge(digests(HASHES))).isEqualTo(state);
            // A restart continues from the stream.
            cluster.restart(1);
            SharedCluster.learn(cluster.node(0), mix(9, 500, HASHES));
            cluster.converge(digests(HASHES));
        }
    }

    @Test
    void nodesConvergeInTheLayoutOfRspamd() throws Exception {
        convergence(SharedLayout.RSPAMD);
    }

    @Test
    void nodesConvergeInTheLayoutOfWeir() throws Exception {
        convergence(SharedLayout.WEIR);
    }

    /** Weights add up, so a batch that is applied twice or never would be seen. */
    @Test
    void nothingIsLostOrDoubledWhileTheEngineIsAway() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "always");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.RSPAMD))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            Thread killer = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < 3; i++) {
                        Thread.sleep(300);
                        redis.kill();
                        Thread.sleep(200);
                        redis.restart();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Thread other = Thread.ofPlatform().start(() -> SharedCluster.learn(two, ones(10_000)));
            SharedCluster.learn(one, ones(10_000));
            other.join();
            killer.join();
            String state = cluster.converge(digests(100));
            assertThat(state.lines().count()).isEqualTo(100);
            assertThat(state.lines()).allMatch(line -> line.contains(" 1=200@"));
        }
    }

    static List<Update> ones(int count) {
        List<Update> updates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            updates.add(Samples.write(i % 100, 1, 1, NOW, Samples.signature(i % 100)));
        }
        return updates;
    }

    /** The engine comes back with an older state, as after a crash without a sync or a failover. */
    @Test
    void whatTheEngineLosesIsSentAgain() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.RSPAMD))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, ones(1_000));
            SharedCluster.learn(two, ones(1_000));
            cluster.converge(digests(100));
            try (var client = redis.client()) {
                client.save();
            }
            SharedCluster.learn(one, ones(1_000));
            SharedCluster.learn(two, ones(500));
            assertThat(cluster.converge(digests(100)).lines()).allMatch(line -> line.contains(" 1=35@"));
            redis.kill();
            redis.restart();
            SharedCluster.learn(two, ones(500));
            SharedCluster.await("the engine has everything again", () -> {
                try (var client = redis.client()) {
                    return digests(100).stream().allMatch(digest -> "40".equals(value(client, digest)));
                }
            });
            assertThat(cluster.converge(digests(100)).lines()).allMatch(line -> line.contains(" 1=40@"));
        }
    }

    private static String value(redis.clients.jedis.Jedis client, Digest digest) {
        byte[] key = new byte["fuzzy".length() + Digest.BYTES];
        System.arraycopy("fuzzy".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, key, 0, "fuzzy".length());
        System.arraycopy(digest.toBytes(), 0, key, "fuzzy".length(), Digest.BYTES);
        byte[] value = client.hget(key, new byte[]{'V'});
        return value == null ? "" : new String(value, java.nio.charset.StandardCharsets.US_ASCII);
    }
}
