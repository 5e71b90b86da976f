package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.ClientKillParams.SkipMe;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes with one real Redis. */
@Tag("peers")
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
        SharedSettings plain = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO).build();
        return layout == SharedLayout.RSPAMD
                ? plain
                : SharedSettingsBuilder.of(plain).layout(SharedLayout.WEIR, 4).build();
    }

    private void convergence(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                StorageEngine node = cluster.add();
                long seed = i;
                threads.add(Thread.ofPlatform().start(() -> SharedCluster.learn(node, mix(seed, 1_500, HASHES))));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            String state = cluster.converge(digests(HASHES));
            assertThat(state.lines().count()).isGreaterThan(HASHES / 2);
            // A new node begins with a scan.
            cluster.add();
            assertThat(cluster.converge(digests(HASHES))).isEqualTo(state);
            SharedCluster.await("each node knows all nodes and servers", () -> {
                SharedStats figures = cluster.node(0).attached(SharedNode.class).orElseThrow().figures(0);
                return figures.peers().stream().map(SharedPeer::node).distinct().count() == 4
                        && figures.servers().stream().allMatch(redis.address().toString()::equals);
            });
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

    /**
     * A kill can cut the last transaction in the log of Redis. Redis 7 then cuts the log behind its last complete
     * command, keeps the beginning of the transaction, and carries it out at the next start, together with what follows
     * (docs/decisions/0021-many-nodes.md). Weights add up, so a batch that is applied twice or never would be seen.
     */
    @ParameterizedTest
    @CsvSource({"WEIR, 30", "WEIR, 3000", "RSPAMD, 30", "RSPAMD, 3000"})
    void aTransactionThatRedisCarriesOutTwiceChangesNothing(SharedLayout layout, int cut) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "always");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            cluster.add();
            SharedCluster.learn(one, ones(100));
            cluster.converge(digests(100));
            redis.kill();
            redis.cutLog(cut);
            redis.restart();
            SharedCluster.learn(one, ones(100));
            assertThat(cluster.converge(digests(100)).lines()).hasSize(100).allMatch(line -> line.contains(" 1=2@"));
            redis.kill();
            redis.restart();
            // A new node reads the keys.
            cluster.add();
            assertThat(cluster.converge(digests(100)).lines()).hasSize(100).allMatch(line -> line.contains(" 1=2@"));
        }
    }

    /** Rspamd writes a hash and its shingles. The list of shingles in the field S is missing before 4.1.3. */
    private static void asRspamd(Jedis redis, int n, int flag, int value, boolean lists) {
        Keys keys = new Keys(SharedSettings.PREFIX.getBytes(StandardCharsets.UTF_8));
        byte[] digest = Samples.digest(n).toBytes();
        Signature signature = Samples.signature(n);
        byte[] key = keys.hash(Samples.digest(n));
        redis.hset(key, bytes("F"), bytes(Integer.toString(flag)));
        redis.hset(key, bytes("V"), bytes(Integer.toString(value)));
        redis.hset(key, bytes("C"), bytes(Long.toString(NOW)));
        if (lists) {
            redis.hset(key, bytes("S"), new RspamdLayout(SharedSettings.PREFIX).encode(signature));
        }
        for (int slot = 0; slot < Signature.SLOTS; slot++) {
            redis.set(keys.slot(slot, signature.value(slot)), digest);
        }
    }

    /** Returns a signature that shares some slots with that of a number. */
    private static Signature near(int n, int shared) {
        return Signature.of(Samples.changed(Samples.shingles(n), Signature.SLOTS - shared, new SplittableRandom(5)), 0);
    }

    private static byte[] bytes(String text) {
        return RedisConnections.bytes(text);
    }

    /** Checks as a client does. */
    private static @Nullable FlagValue check(StorageEngine node, Digest digest, @Nullable Signature signature) {
        Lookup lookup = new Lookup();
        digest.copyTo(lookup.digest(), 0);
        lookup.hasShingles(signature != null);
        if (signature != null) {
            signature.copyTo(lookup.shingles(), 0);
        }
        if (!node.hashes().find(lookup, node.hashes().now())) {
            node.hashes().missed(lookup);
            return null;
        }
        IndexMatch match = lookup.match();
        return new FlagValue(match.flag(0), match.value(0), match.time(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatRspamdWroteIsFoundByAsking(boolean lists) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        SharedSettingsBuilder.of(settings(redis, SharedLayout.RSPAMD)).asks().build())) {
            StorageEngine node = cluster.add();
            SharedCluster.await("the first comparison is over",
                    () -> node.attached(SharedNode.class).orElseThrow().isWhole());
            try (Jedis jedis = new Jedis(redis.address().host(), redis.address().port())) {
                for (int n = 0; n < 3; n++) {
                    asRspamd(jedis, n, 1 + n, 10 + n, lists);
                }
            }
            // Exactly, without and with shingles.
            SharedCluster.await("exact", () -> Objects.equals(check(node, Samples.digest(0), null),
                    new FlagValue(1, 10, NOW)));
            SharedCluster.await("exact", () -> Objects.equals(
                    check(node, Samples.digest(1), Samples.signature(1)), new FlagValue(2, 11, NOW)));
            // Nearly: 20 of 32 slots, and one below the threshold.
            SharedCluster.await("near", () -> Objects.equals(
                    check(node, Samples.digest(100), near(2, 20)), new FlagValue(3, 12, NOW)));
            // Another mail near the second one finds its shingles in the index now.
            assertThat(check(node, Samples.digest(101), near(1, 24))).isEqualTo(new FlagValue(2, 11, NOW));
            SharedStats.Asking asking = Objects
                    .requireNonNull(node.attached(SharedNode.class).orElseThrow().figures(0).asking());
            assertThat(asking.dropped()).isZero();
            assertThat(asking.found()).isGreaterThanOrEqualTo(3);
            // What Redis lacks is asked for, and no hash appears.
            long asked = asking.asked();
            SharedCluster.await("asked", () -> {
                assertThat(check(node, Samples.digest(102), near(0, 16))).isNull();
                SharedStats.Asking now = node.attached(SharedNode.class).orElseThrow().figures(0).asking();
                return now != null && now.asked() > asked;
            });
        }
    }

    /** Weights add up, so a batch that is applied twice or never would be seen. */
    @Test
    void nothingIsLostOrDoubledWhileRedisIsAway() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "always");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.RSPAMD))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            AtomicBoolean enough = new AtomicBoolean();
            FutureTask<Integer> ofOne = learner(one, enough);
            FutureTask<Integer> ofTwo = learner(two, enough);
            try {
                for (int kill = 0; kill < 3; kill++) {
                    long heard = received(two);
                    SharedCluster.await("updates pass Redis, and more are on the way",
                            () -> ofOne.isDone() || (received(two) > heard && unsent(one) > 0));
                    redis.kill();
                    SharedCluster.await("both nodes collect updates without Redis", () -> ofOne.isDone()
                            || ofTwo.isDone() || (collectsWithoutRedis(one) && collectsWithoutRedis(two)));
                    redis.restart();
                }
            } finally {
                enough.set(true);
            }
            int rounds = ofOne.get(60, TimeUnit.SECONDS) + ofTwo.get(60, TimeUnit.SECONDS);
            String state = cluster.converge(digests(100));
            assertThat(state.lines().count()).isEqualTo(100);
            assertThat(state.lines()).allMatch(line -> line.contains(" 1=" + rounds + "@"));
        }
    }

    /**
     * Learns a weight of 1 for each of 100 digests again and again, and returns how often. It lets Redis, which
     * syncs each batch, keep pace.
     */
    private static FutureTask<Integer> learner(StorageEngine node, AtomicBoolean enough) {
        FutureTask<Integer> learner = new FutureTask<>(() -> {
            int rounds = 0;
            while (!enough.get()) {
                if (unsent(node) < 2_000) {
                    SharedCluster.learn(node, ones(100));
                    rounds++;
                } else {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            return rounds;
        });
        Thread.ofPlatform().daemon().start(learner);
        return learner;
    }

    private static long received(StorageEngine node) {
        return node.attached(SharedNode.class).orElseThrow().figures(0).received();
    }

    private static boolean collectsWithoutRedis(StorageEngine node) {
        return !node.attached(SharedNode.class).orElseThrow().sendingFailure().isEmpty() && unsent(node) > 500;
    }

    private static long unsent(StorageEngine node) {
        return node.attached(SharedNode.class).orElseThrow().unsent();
    }

    /** The shards of a Cluster are on several servers, each of which may restart alone. */
    @Test
    void everyShardKnowsTheNodes() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings settings = SharedSettingsBuilder.of(settings(redis, SharedLayout.WEIR))
                    .layout(SharedLayout.WEIR, 3).build();
            try (SharedCluster cluster = new SharedCluster(scratch, settings)) {
                SharedNode node = cluster.add().attached(SharedNode.class).orElseThrow();
                KeyLayout keys = KeyLayout.of(settings);
                SharedCluster.await("known", () -> {
                    try (Jedis client = redis.client()) {
                        return IntStream.range(0, 3).allMatch(shard -> client.hexists(keys.keys(shard).nodes(),
                                ("i:" + node.name()).getBytes(StandardCharsets.US_ASCII)));
                    }
                });
            }
        }
    }

    /** After a short outage, an idle node finds its connection broken, although Redis takes updates again. */
    @Test
    void aConnectionThatBrokeWhileNothingWasSentIsNoFailure() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR))) {
            StorageEngine one = cluster.add();
            SharedNode node = one.attached(SharedNode.class).orElseThrow();
            SharedCluster.learn(one, List.of(Samples.write(0, 1, 10, NOW, null)));
            cluster.converge(digests(1));
            try (Jedis client = redis.client()) {
                client.clientKill(new ClientKillParams().type(ClientType.NORMAL).skipMe(SkipMe.YES));
            }
            SharedCluster.learn(one, List.of(Samples.write(0, 1, 10, NOW, null)));
            SharedCluster.await("sent", () -> node.unsent() == 0);
            assertThat(node.status().failureSeconds()).isEqualTo(-1);
        }
    }

    /** Rspamd loses such a burst; here, the log keeps what Redis does not take. */
    @Test
    void aBurstWhileRedisStandsStillIsKept() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        SharedSettingsBuilder.of(settings(redis, SharedLayout.WEIR)).layout(SharedLayout.WEIR, 2)
                                .build())) {
            StorageEngine one = cluster.add();
            cluster.add();
            cluster.converge(List.of());
            redis.signal("STOP");
            SharedCluster.learn(one, ones(2_000));
            SharedCluster.await("the trouble is reported", () -> one.stats().troubles().stream()
                    .anyMatch(trouble -> trouble.reason().contains("do not get the updates of this one")));
            assertThat(one.attached(SharedNode.class).orElseThrow().figures(0).unsent()).isEqualTo(2_000);
            redis.signal("CONT");
            assertThat(cluster.converge(digests(100)).lines()).hasSize(100).allMatch(line -> line.contains(" 1=20@"));
            SharedCluster.await("the trouble is over", () -> one.stats().troubles().isEmpty());
        }
    }

    @Test
    void sideHashesOfHtmlReachTheOtherNodes() throws Exception {
        HtmlSides sides = new HtmlSides(-1, 2, Long.MIN_VALUE);
        for (SharedLayout layout : SharedLayout.values()) {
            try (RedisProcess redis = RedisProcess.start(scratch);
                    SharedCluster cluster = new SharedCluster(Files.createTempDirectory(scratch, "nodes"),
                            settings(redis, layout))) {
                StorageEngine one = cluster.add();
                StorageEngine two = cluster.add();
                // The first learn has no side hashes; a later one brings them.
                SharedCluster.learn(one, List.of(Samples.write(1, 1, 5, NOW, Samples.signature(1))));
                SharedCluster.learn(one,
                        List.of(Samples.write(1, 1, 5, NOW, Samples.signature(1).withSides(sides))));
                cluster.converge(digests(2));
                for (StorageEngine node : List.of(one, two, cluster.add())) {
                    cluster.converge(digests(2));
                    assertThat(known(node, 1).sides()).isEqualTo(sides);
                }
            }
        }
    }

    /** The greatest and the least sums of 64 bits, which the numbers of Lua cannot hold. */
    @Test
    void weightsAddUpIn64Bits() throws Exception {
        long most = Long.MAX_VALUE;
        long[][] weights = {{most, 5}, {-most, -5}, {most, -most}, {most - 9, 8}, {1_999_999_999_999_999_999L, 2},
            {-1_000_000_000, 999_999_999}, {-4_503_599_627_370_497L, 1},
            {4_503_599_627_370_496L, -4_503_599_627_370_495L}};
        for (SharedLayout layout : SharedLayout.values()) {
            try (RedisProcess redis = RedisProcess.start(scratch);
                    SharedCluster cluster = new SharedCluster(Files.createTempDirectory(scratch, "nodes"),
                            settings(redis, layout))) {
                StorageEngine one = cluster.add();
                StorageEngine two = cluster.add();
                for (int i = 0; i < weights.length; i++) {
                    SharedCluster.learn(one, List.of(wide(i, weights[i][0]), wide(i, weights[i][1])));
                }
                cluster.converge(digests(weights.length));
                for (int i = 0; i < weights.length; i++) {
                    assertThat(known(two, i).flags().getFirst().value())
                            .isEqualTo(FlagValue.add(weights[i][0], weights[i][1]));
                }
            }
        }
    }

    private static HashIndex.KnownHash known(StorageEngine node, int digest) {
        return Objects.requireNonNull(node.hashes().known(Samples.digest(digest), new Lookup()));
    }

    private static Update wide(int digest, long weight) {
        return new Update.Write(Samples.digest(digest), 1, weight, NOW, null);
    }

    static List<Update> ones(int count) {
        List<Update> updates = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            updates.add(Samples.write(i % 100, 1, 1, NOW, Samples.signature(i % 100)));
        }
        return updates;
    }

    /** Redis comes back with an older state, as after a crash without a sync or a failover. */
    @Test
    void whatRedisLosesIsSentAgain() throws Exception {
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
            SharedCluster.await("Redis has everything again", () -> {
                try (var client = redis.client()) {
                    return digests(100).stream().allMatch(digest -> "40".equals(value(client, digest)));
                }
            });
            assertThat(cluster.converge(digests(100)).lines()).allMatch(line -> line.contains(" 1=40@"));
        }
    }

    static String value(redis.clients.jedis.Jedis client, Digest digest) {
        byte[] key = new byte["fuzzy".length() + Digest.BYTES];
        System.arraycopy("fuzzy".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, key, 0, "fuzzy".length());
        System.arraycopy(digest.toBytes(), 0, key, "fuzzy".length(), Digest.BYTES);
        byte[] value = client.hget(key, new byte[]{'V'});
        return value == null ? "" : new String(value, java.nio.charset.StandardCharsets.US_ASCII);
    }
}
