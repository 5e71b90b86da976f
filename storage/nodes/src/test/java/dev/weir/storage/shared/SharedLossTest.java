package dev.weir.storage.shared;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.redis.Keys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;
import redis.clients.jedis.params.ClientKillParams.SkipMe;

import static org.assertj.core.api.Assertions.assertThat;

/** A real Redis loses what two nodes hold: nothing acknowledged is lost. */
@Tag("peers")
@Timeout(120)
class SharedLossTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    static final Duration EXPIRE = Duration.ofDays(90);
    static final int HASHES = 120;
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=([0-9]+)");

    @TempDir
    private Path scratch;

    static SharedSettings settings(RedisProcess redis, SharedLayout layout) {
        SharedSettings plain = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ofMillis(200)).build();
        return layout == SharedLayout.RSPAMD
                ? plain
                : SharedSettingsBuilder.of(plain).layout(SharedLayout.WEIR, 2).build();
    }

    static List<Update> writes(int from, int to, int weight) {
        List<Update> updates = new ArrayList<>();
        for (int i = from; i < to; i++) {
            updates.add(Samples.write(i, 1, weight, NOW, Samples.signature(i)));
        }
        return updates;
    }

    static List<Digest> all() {
        return SharedNodesTest.digests(HASHES);
    }

    /** The keys of hashes in Redis. */
    static List<byte[]> hashes(Jedis redis, SharedLayout layout) {
        KeyLayout keys = layout == SharedLayout.RSPAMD
                ? new RspamdLayout(SharedSettings.PREFIX)
                : new ShardedLayout(SharedSettings.PREFIX, 2);
        Set<byte[]> names = redis.keys((SharedSettings.PREFIX + "*").getBytes(StandardCharsets.US_ASCII));
        List<byte[]> found = new ArrayList<>();
        for (int shard = 0; shard < keys.shards(); shard++) {
            for (byte[] name : names) {
                if (keys.keys(shard).read(name) instanceof Keys.HashKey) {
                    found.add(name);
                }
            }
        }
        return found;
    }

    private static void awaitBack(RedisProcess redis, SharedLayout layout, int count) {
        SharedCluster.await("Redis has all hashes again", () -> {
            try (Jedis client = redis.client()) {
                return hashes(client, layout).size() == count;
            }
        });
    }

    static void assertValues(String state, int count, int value) {
        assertThat(state.lines()).hasSize(count).allMatch(line -> line.contains(" 1=" + value + "@"))
                .allMatch(line -> line.endsWith(" ffffffff"));
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void anEmptiedRedisGetsBackWhatTheNodesHold(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, 100, 10));
            SharedCluster.learn(two, writes(100, HASHES, 10));
            assertValues(cluster.converge(all()), HASHES, 10);
            // The connections stay.
            client.flushAll();
            SharedCluster.learn(two, writes(0, HASHES, 1));
            SharedCluster.learn(one, writes(0, HASHES, 2));
            awaitBack(redis, layout, HASHES);
            assertValues(cluster.converge(all()), HASHES, 13);
            assertThat(one.stats().troubles()).isEmpty();
            // A new node gets it from Redis, and a restart changes nothing.
            cluster.restart(0);
            cluster.add();
            assertValues(cluster.converge(all()), HASHES, 13);
        }
    }

    /** A node that was away finds deletes, which are no losses, although the stream no longer has them. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aDeleteReachesANodeThatWasAway(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            SharedCluster.learn(one, List.of(Samples.write(1, 2, 5, NOW, null)));
            cluster.converge(all());
            two.close();
            SharedCluster.learn(one, List.of(new Update.DeleteAll(Samples.digest(0)),
                    new Update.Delete(Samples.digest(1), 2)));
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            for (byte[] stream : client.keys("*_weir_stream".getBytes(StandardCharsets.US_ASCII))) {
                client.xtrim(stream, 0, false);
            }
            cluster.reopen(1);
            String state = cluster.converge(all());
            assertThat(state).doesNotContain(Samples.digest(0).hex().substring(0, 16)).doesNotContain(" 2=");
            assertValues(state, HASHES - 1, 10);
            // What is learned after a delete in the same second stays, also after a loss.
            SharedCluster.learn(one, writes(0, 1, 3));
            cluster.converge(all());
            hashes(client, layout).forEach(client::del);
            awaitBack(redis, layout, HASHES);
            assertThat(cluster.converge(all()).lines()).hasSize(HASHES)
                    .filteredOn(line -> line.startsWith(Samples.digest(0).hex().substring(0, 16)))
                    .allMatch(line -> line.contains(" 1=3@"));
        }
    }

    /**
     * The states of the node that puts back first have no trace of a delete of another node, and claim to have it. The
     * position of the other node is that of its end, or from before the delete, as after a crash. The stream may have
     * more changes again than this position, so that nothing tells it from one that the node was away from.
     */
    @ParameterizedTest
    @CsvSource({"RSPAMD, false, 0", "WEIR, false, 0", "RSPAMD, true, 0", "WEIR, true, 0", "RSPAMD, false, 1",
        "WEIR, false, 1"})
    void aDeleteThatAnOlderRedisLacksIsRepeated(SharedLayout layout, boolean crashed, int learnedSince)
            throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb", "--save", "");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            cluster.converge(all());
            try (Jedis client = redis.client()) {
                client.save();
            }
            Path position = cluster.folder(0).resolve(DataFolder.SHARED);
            byte[] before = Files.readAllBytes(position);
            SharedCluster.learn(two, writes(1, HASHES, 1));
            SharedCluster.learn(one, List.of(new Update.DeleteAll(Samples.digest(0))));
            assertValues(cluster.converge(all()), HASHES - 1, 11);
            one.close();
            if (crashed) {
                Files.write(position, before);
            }
            goBack(redis, two);
            SharedCluster.await("the delete is undone", () -> !two.find(Samples.digest(0)).isEmpty());
            if (learnedSince > 0) {
                SharedCluster.learn(two, writes(1, HASHES, learnedSince));
                SharedNode node = two.attached(SharedNode.class).orElseThrow();
                SharedCluster.await("sent", node::isSettled);
            }
            cluster.reopen(0);
            SharedCluster.await("deleted again", () -> {
                try (Jedis client = redis.client()) {
                    return hashes(client, layout).size() == HASHES - 1;
                }
            });
            assertValues(cluster.converge(all()), HASHES - 1, 11 + learnedSince);
        }
    }

    /** Restarts Redis from what it saved, and waits until a node has put back what it holds. */
    private static void goBack(RedisProcess redis, StorageEngine engine) throws Exception {
        SharedNode node = engine.attached(SharedNode.class).orElseThrow();
        long before = node.figures(0).rejoined();
        redis.kill();
        redis.restart();
        SharedCluster.await("put back", () -> node.figures(0).rejoined() > before && node.isSettled()
                && engine.stats().troubles().isEmpty());
    }

    /** The older Redis lacks keys, and its stream has their old states, and no trace of a later learn or delete. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void statesOfAnOlderStreamReplaceNothing(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb", "--save", "");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            cluster.converge(all());
            try (Jedis client = redis.client()) {
                List<byte[]> keys = hashes(client, layout);
                try (Pipeline together = client.pipelined()) {
                    keys.forEach(together::del);
                    together.sendCommand(Protocol.Command.SAVE, new String[0]);
                }
            }
            SharedCluster.learn(one, writes(0, HASHES, 1));
            SharedCluster.learn(one, List.of(new Update.DeleteAll(Samples.digest(0))));
            assertValues(cluster.converge(all()), HASHES - 1, 11);
            goBack(redis, one);
            assertValues(cluster.converge(all()), HASHES - 1, 11);
        }
    }

    /** Redis removes keys: it evicts, or the clock of its machine makes all of them old. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void keysThatRedisRemovesComeBack(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            cluster.converge(all());
            hashes(client, layout).forEach(key -> client.pexpire(key, 1L));
            // An update of a hash that Redis lacks builds on what the nodes hold.
            SharedCluster.learn(two, writes(0, HASHES, 1));
            SharedCluster.learn(one, List.of(new Update.Refresh(Samples.digest(3), NOW + 1)));
            awaitBack(redis, layout, HASHES);
            assertValues(cluster.converge(all()), HASHES, 11);
            assertThat(two.attached(SharedNode.class).orElseThrow().putBack()
                    + one.attached(SharedNode.class).orElseThrow().putBack()).isPositive();
        }
    }

    /** Keys go between any two steps of the nodes: between two reads of a comparison, and before an update. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void keysThatGoAllTheTimeLoseNothing(SharedLayout layout) throws Exception {
        Random random = new Random(11);
        int rounds = 30;
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        SharedSettingsBuilder.of(settings(redis, layout)).reconcile(Duration.ofMillis(1)).build());
                Jedis client = redis.client()) {
            cluster.add();
            cluster.add();
            SharedCluster.learn(cluster.node(0), writes(0, HASHES, 10));
            cluster.converge(all());
            for (int round = 0; round < rounds; round++) {
                SharedCluster.learn(cluster.node(round % 2), writes(0, HASHES, 1));
                for (int i = 0; i < 5; i++) {
                    List<byte[]> gone = hashes(client, layout);
                    gone.removeIf(_ -> random.nextInt(3) > 0);
                    gone.forEach(client::del);
                }
            }
            awaitBack(redis, layout, HASHES);
            assertValues(cluster.converge(all()), HASHES, 10 + rounds);
        }
    }

    /**
     * Redis removes keys before this node has read what its last batch made of them. What it puts back has that batch,
     * because Redis counts it as sent. Seed 1 of {@link SharedSimulationTest} lost such updates on a busy machine.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void keysThatAreGoneBeforeTheirStateIsReadComeBackWhole(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, HASHES, 10));
            cluster.converge(all());
            // The nodes send, and hear nothing.
            client.aclSetUser("default", "-xread");
            client.clientKill(new ClientKillParams().type(ClientType.NORMAL).skipMe(SkipMe.YES));
            SharedCluster.await("both nodes have lost the connection",
                    () -> !one.attached(SharedNode.class).orElseThrow().listeningFailure().isEmpty()
                            && !two.attached(SharedNode.class).orElseThrow().listeningFailure().isEmpty());
            SharedCluster.learn(one, writes(0, HASHES, 1));
            SharedCluster.learn(two, writes(0, HASHES, 4));
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().unsent() == 0
                    && two.attached(SharedNode.class).orElseThrow().unsent() == 0);
            hashes(client, layout).forEach(client::del);
            SharedCluster.learn(one, writes(0, HASHES, 2));
            long scripts = scripts(client);
            SharedCluster.await("the node has tried to send",
                    () -> one.attached(SharedNode.class).orElseThrow().unsent() == 0
                            || scripts(client) > scripts + 20);
            client.aclSetUser("default", "+xread");
            assertValues(cluster.converge(all()), HASHES, 17);
            awaitBack(redis, layout, HASHES);
            assertValues(cluster.converge(all()), HASHES, 17);
        }
    }

    private static long scripts(Jedis redis) {
        Matcher stat = SCRIPTS.matcher(redis.info("commandstats"));
        return stat.find() ? Long.parseLong(stat.group(1)) : 0;
    }

    /** Redis comes back with a snapshot that is older than the logs of the nodes reach. */
    @ParameterizedTest
    @CsvSource({"RSPAMD, true", "RSPAMD, false", "WEIR, true", "WEIR, false"})
    void anOlderRedisGetsBackWhatTheNodesHold(SharedLayout layout, boolean longLogs) throws Exception {
        LogLimits limits = longLogs
                ? LogLimits.DEFAULT
                : new LogLimits(1 << 14, 1 << 22, 1 << 20, Duration.ZERO, 0, LogLimits.REPEATS);
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb", "--save", "");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add(limits, InstantSource.system());
            StorageEngine two = cluster.add(limits, InstantSource.system());
            SharedCluster.learn(one, writes(0, 30, 5));
            cluster.converge(all());
            try (Jedis client = redis.client()) {
                client.save();
            }
            SharedCluster.learn(one, writes(0, HASHES, 5));
            SharedCluster.learn(two, writes(0, HASHES, 1));
            SharedCluster.learn(two, writes(0, 30, 1));
            SharedCluster.learn(one, writes(30, HASHES, 6));
            String before = cluster.converge(all());
            assertValues(before, HASHES, 12);
            if (!longLogs) {
                SharedCluster.await("the logs lack the first updates", () -> {
                    for (StorageEngine node : List.of(one, two)) {
                        node.attached(SharedNode.class).orElseThrow().save();
                        SharedCluster.learn(node, List.of(new Update.Refresh(Samples.digest(0), NOW)));
                        node.checkpoint().join();
                    }
                    return !one.log().has(1) && !two.log().has(1);
                });
            }
            redis.kill();
            redis.restart();
            SharedCluster.learn(two, writes(0, HASHES, 1));
            awaitBack(redis, layout, HASHES);
            assertValues(cluster.converge(all()), HASHES, 13);
        }
    }

    /** An operator takes back a learn at a node that is cut off, while another node learns the same. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void anUndoKeepsWhatOtherNodesLearned(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "always");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(0, 2, 10));
            cluster.converge(all());
            redis.kill();
            for (int i = 0; i < 2; i++) {
                undo(two, Samples.write(i, 1, -10, NOW, null));
                undo(two, new Update.Delete(Samples.digest(i), 1));
            }
            two.close();
            redis.restart();
            SharedCluster.learn(one, writes(0, 1, 5));
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            cluster.reopen(1);
            String state = cluster.converge(all());
            assertValues(state, 1, 5);
            assertThat(state).startsWith(Samples.digest(0).hex().substring(0, 16));
            assertThat(cluster.node(1).attached(SharedNode.class).orElseThrow().keptByUndo()).isEqualTo(1);
        }
    }

    private static void undo(StorageEngine node, Update update) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        UpdateOrigin origin = new UpdateOrigin(InetAddress.getLoopbackAddress(), 0, update.hashCode(), null,
                new UpdateSubmitter("127.0.0.1", UpdateSubmitter.UNDO + 1, "operator", "undo-1"));
        node.hashes().offer(new QueuedUpdate(update, origin, new QueuedUpdate.Outcome() {
            @Override
            public void stored() {
                done.complete(true);
            }

            @Override
            public void failed() {
                done.complete(false);
            }
        }));
        assertThat(done.join()).isTrue();
    }
}
