package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.Digest;
import dev.weir.testkit.UdpClient;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three nodes learn the same and different hashes without a pause, while SIGKILL ends the master of their Redis and one
 * of the nodes at the same moment. A replica without the last changes becomes the master, and the node starts again.
 */
@Tag("long")
class ManyNodesKillTest {
    private static final int NODES = 3;
    private static final int KILLED = 1;
    private static final int WEIGHT = 7;

    /** The digests that all nodes learn. */
    private static final int COMMON = 50;

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path scratch;

    /** Learns that a node has acknowledged: of its own hashes, one after the other, and of common ones in turns. */
    private final AtomicInteger[] own = counters(NODES);
    private final AtomicInteger[] common = counters(COMMON);

    /** Learns of common hashes that got no answer. */
    private final AtomicInteger[] unsure = counters(COMMON);
    private volatile boolean enough;

    @BeforeAll
    static void programs() {
        Programs.require("redis-server");
    }

    private static AtomicInteger[] counters(int count) {
        AtomicInteger[] counters = new AtomicInteger[count];
        for (int i = 0; i < count; i++) {
            counters[i] = new AtomicInteger();
        }
        return counters;
    }

    private static Digest digest(int node, int number) {
        SplittableRandom random = new SplittableRandom(node * 1_000_000_007L + number);
        return Digest.ofWords(random.longs(Digest.WORDS).toArray(), 0);
    }

    /** A hash of all nodes. */
    private static Digest commonDigest(int number) {
        return digest(NODES, number);
    }

    private Path configuration(int node, String sentinels) throws IOException {
        Path folder = Files.createDirectories(scratch.resolve("node" + node));
        return Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1"; expire = 90d;
                  backend = "redis"; sentinels = %s; sentinel_master_name = "%s"; redis_layout = "weir";
                  redis_shards = 2;
                }
                """.formatted(folder, sentinels, RedisGroup.NAME));
    }

    private static InetSocketAddress address(WeirStorage node) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), node.port());
    }

    /** Learns until enough is learned or the node is killed. Any other end without an answer is a failure. */
    private FutureTask<Void> learner(int number, WeirStorage node) {
        FutureTask<Void> learner = new FutureTask<>(() -> {
            int asked = 0;
            try (UdpClient client = new UdpClient(address(node), "127.0.0.1", 10_000)) {
                for (; !enough; asked++) {
                    assertThat(client.write(digest(number, asked), 1, WEIGHT, null).isMatch()).isTrue();
                    own[number].incrementAndGet();
                    assertThat(client.write(commonDigest(asked % COMMON), 1, 1, null).isMatch()).isTrue();
                    common[asked % COMMON].incrementAndGet();
                }
            } catch (SocketTimeoutException | PortUnreachableException e) {
                assertThat(number).as("a node without an answer").isEqualTo(KILLED);
                unsure[asked % COMMON].incrementAndGet();
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(learner);
        return learner;
    }

    /** Waits for a number of learns at a node, or for the failure of its learner. */
    private void awaitLearns(String what, FutureTask<Void> learner, int number, int least) throws Exception {
        await(what).atMost(PATIENCE).until(() -> own[number].get() >= least || learner.isDone());
        if (learner.isDone()) {
            learner.get();
        }
        assertThat(own[number].get()).as(what).isGreaterThanOrEqualTo(least);
    }

    @Test
    void aMasterAndANodeDieAtOnceAndNothingIsLost() throws Exception {
        List<WeirStorage> nodes = new ArrayList<>();
        try (RedisGroup redis = RedisGroup.start(scratch)) {
            List<FutureTask<Void>> learners = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                nodes.add(WeirStorage.configured(configuration(i, redis.places())));
                learners.add(learner(i, nodes.get(i)));
            }
            for (int i = 0; i < NODES; i++) {
                awaitLearns("learns at each node", learners.get(i), i, 1_000);
            }
            FutureTask<Void> killer = new FutureTask<>(redis::killMaster, null);
            Thread.ofPlatform().daemon().start(killer);
            nodes.get(KILLED).kill();
            end(killer);
            end(learners.get(KILLED));
            nodes.set(KILLED, WeirStorage.configured(configuration(KILLED, redis.places())));
            redis.awaitReplacement();
            for (int i = 0; i < NODES; i++) {
                if (i != KILLED) {
                    awaitLearns("learns after the kills", learners.get(i), i, own[i].get() + 500);
                }
            }
            enough = true;
            for (FutureTask<Void> learner : learners) {
                end(learner);
            }
            for (WeirStorage node : nodes) {
                check(node);
            }
        } finally {
            nodes.forEach(WeirStorage::close);
        }
    }

    /** Waits until a node has everything that was acknowledged at any node, exactly once. */
    private void check(WeirStorage node) throws Exception {
        try (UdpClient client = new UdpClient(address(node), "127.0.0.1", 10_000)) {
            for (int i = 0; i < NODES; i++) {
                for (int number = 0; number < own[i].get(); number++) {
                    awaitValue(client, digest(i, number), WEIGHT, WEIGHT);
                }
            }
            for (int i = 0; i < COMMON; i++) {
                awaitValue(client, commonDigest(i), common[i].get(), common[i].get() + unsure[i].get());
            }
        }
    }

    private static void awaitValue(UdpClient client, Digest digest, long least, long most) {
        long value = await("a value of %d".formatted(least)).atMost(PATIENCE).pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> (long) client.check(digest, null).value(), found -> found >= least);
        assertThat(value).isBetween(least, most);
    }

    private static void end(FutureTask<Void> task) throws Exception {
        task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
