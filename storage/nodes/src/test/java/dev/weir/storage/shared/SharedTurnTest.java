package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.ConsumerStatus;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.redis.Keys;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Nodes that begin something in a real Redis and do not end it, or that begin at the same time. */
@Tag("peers")
@Timeout(120)
class SharedTurnTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final long EXPIRE = Duration.ofDays(90).toSeconds();
    private static final int HASHES = 60;
    private static final String DEAD = "00000000000000dd";
    private static final String SECOND = "0000000000000002";

    @TempDir
    private Path scratch;

    private static SharedSettings settings(RedisProcess redis, SharedLayout layout) {
        SharedSettings plain = SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ofMillis(200)).build();
        return layout == SharedLayout.RSPAMD
                ? plain
                : SharedSettingsBuilder.of(plain).layout(SharedLayout.WEIR, 1).build();
    }

    private record Other(String node, long expireSeconds) implements ShardConnection.Sender {
        @Override
        public String run() {
            return node;
        }

        @Override
        public List<String> runs() {
            return List.of(node);
        }

        @Override
        public long seconds() {
            return InstantSource.system().millis() / 1_000;
        }

        @Override
        public long correction() {
            return 0;
        }
    }

    private static ShardConnection connect(SharedSettings settings, ShardConnection.Sender sender)
            throws StorageException {
        KeyLayout layout = KeyLayout.of(settings);
        return ShardConnection.open(new RedisConnections(settings), ShardConnection.Scripts.of(layout), layout, 0,
                sender, Duration.ofSeconds(10));
    }

    /** The key in Redis that says which nodes there are, and whose turn it is. */
    private static byte[] nodes(SharedSettings settings) {
        return new Keys(KeyLayout.of(settings).prefix(0)).nodes();
    }

    /** A state with one flag. */
    private static ShardConnection.Offered offered(SharedSettings settings, Digest digest, long value, long time) {
        return new ShardConnection.Offered(digest, KeyLayout.of(settings).encode(
                new StoredHash(digest, List.of(new FlagValue(1, value, time)), null, 0), EXPIRE));
    }

    private static List<Update> writes(int weight) {
        List<Update> updates = new ArrayList<>();
        for (int i = 0; i < HASHES; i++) {
            updates.add(Samples.write(i, 1, weight, NOW, null));
        }
        return updates;
    }

    /**
     * A node says which updates its states have, and dies before it has put all of them back. The counters of Redis are
     * right then, and the keys are not.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeThatDiesInItsTurnLosesNothing(SharedLayout layout) throws Exception {
        List<Digest> digests = SharedNodesTest.digests(HASHES);
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb", "--save", "");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            SharedCluster.learn(one, writes(10));
            cluster.converge(digests);
            try (Jedis client = redis.client()) {
                client.save();
            }
            SharedCluster.learn(one, writes(5));
            SharedCluster.learn(two, writes(2));
            cluster.converge(digests);
            Map<String, Long> revisions = Map.of(one.attached(SharedNode.class).orElseThrow().name(),
                    one.log().durable(),
                    two.attached(SharedNode.class).orElseThrow().name(), two.log().durable());
            one.close();
            two.close();
            redis.kill();
            redis.restart();
            try (ShardConnection dead = connect(settings(redis, layout), new Other(DEAD, EXPIRE))) {
                dead.join("", DEAD, "dead", List.of());
                assertThat(dead.claim("00000000000000cc", List.of(), revisions)).isEmpty();
                // So many changes that the stream reaches beyond what the nodes have seen.
                ShardConnection.Reading now = dead.states(List.of());
                for (int from = 0; from < 5 * HASHES; from += HASHES) {
                    List<ShardConnection.Offered> states = new ArrayList<>();
                    for (int i = from; i < from + HASHES; i++) {
                        states.add(offered(settings(redis, layout), Samples.digest(10_000 + i), 1, NOW));
                    }
                    dead.offer(states, now.top() + from, ShardConnection.Merge.LATER, 100_000);
                }
            }
            try (Jedis client = redis.client()) {
                // The lock expires after 30 seconds; the test does not wait for that.
                client.hdel(nodes(settings(redis, layout)),
                        "lock".getBytes(StandardCharsets.US_ASCII));
            }
            cluster.reopen(1);
            cluster.reopen(0);
            assertThat(cluster.converge(digests).lines()).hasSize(HASHES).allMatch(line -> line.contains(" 1=17@"));
            SharedCluster.learn(cluster.node(1), writes(1));
            assertThat(cluster.converge(digests).lines()).hasSize(HASHES).allMatch(line -> line.contains(" 1=18@"));
        }
    }

    /** Two new nodes with other settings must not both be the first, although neither has told of itself yet. */
    @Test
    void ofTwoNewNodesWithOtherSettingsOneIsRefused() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings settings = settings(redis, SharedLayout.WEIR);
            String place = settings.place();
            byte[] key = new Keys(settings.prefix().getBytes(StandardCharsets.US_ASCII)).settings();
            try (ShardConnection one = connect(settings, new Other("0000000000000001", EXPIRE));
                    ShardConnection two = connect(settings, new Other("0000000000000002", 15))) {
                one.join("", DEAD, "one", List.of());
                two.join("", DEAD, "two", List.of());
                one.requireSettings(place, key);
                assertThatExceptionOfType(StorageException.class).isThrownBy(() -> two.requireSettings(place, key))
                        .withMessageContaining("this one has expire=15 s, and the shared Redis has expire=" + EXPIRE);
                one.requireSettings(place, key);
            }
            // Nodes that are silent for a minute have no say.
            try (Jedis client = redis.client()) {
                client.hset(nodes(settings),
                        "e:0000000000000001".getBytes(StandardCharsets.US_ASCII),
                        ((NOW - 100) + " " + place + ",expire=" + EXPIRE).getBytes(StandardCharsets.US_ASCII));
            }
            try (ShardConnection two = connect(settings, new Other("0000000000000002", 15));
                    ShardConnection three = connect(settings, new Other("0000000000000003", 15))) {
                two.join("", DEAD, "two", List.of());
                two.requireSettings(place, key);
                three.join("", DEAD, "three", List.of());
                three.requireSettings(place, key);
            }
        }
    }

    /** A node that was away finds that most of its hashes were deleted, and the stream no longer says by whom. */
    @Test
    void aComparisonThatRemovesMostHashesWaitsForAnOperator() throws Exception {
        int many = 1_300;
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR));
                Jedis client = redis.client()) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            List<Update> updates = new ArrayList<>();
            List<Update> deletes = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                updates.add(Samples.write(i, 1, 10, NOW, null));
                deletes.add(new Update.DeleteAll(Samples.digest(i)));
            }
            SharedCluster.learn(one, updates);
            cluster.converge(SharedNodesTest.digests(many));
            two.close();
            SharedCluster.learn(one, deletes.subList(0, many - 100));
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            client.xtrim(new Keys(KeyLayout.of(settings(redis, SharedLayout.WEIR)).prefix(0)).stream(), 0, false);
            StorageEngine again = cluster.reopen(1);
            SharedCluster.await("it waits", () -> !again.brake().waiting().isEmpty()
                    && again.attached(SharedNode.class).orElseThrow().isSettled());
            assertThat(again.hashes().size()).isEqualTo(many);
            assertThat(again.brake().waiting().getFirst().removal().hashes()).isEqualTo(many - 100);
            // What it learns reaches the others meanwhile.
            SharedCluster.learn(again, List.of(Samples.write(many - 1, 1, 5, NOW, null)));
            SharedCluster.await("the others have it",
                    () -> one.find(Samples.digest(many - 1)).getFirst().value() == 15);
            assertThat(again.brake().confirm(again.brake().waiting().getFirst().id())).isPresent();
            SharedCluster.await("removed", () -> again.hashes().size() == 100);
            cluster.converge(SharedNodesTest.digests(many));
        }
    }

    /** Nothing waits, so a turn asks nothing; that is no success. */
    @Test
    void anIdleNodeWhoseRedisIsAwaySaysSoUntilItAnswers() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR))) {
            StorageEngine one = cluster.add();
            SharedCluster.await("settled", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            redis.kill();
            SharedCluster.await("it is away",
                    () -> !one.attached(SharedNode.class).orElseThrow().sendingFailure().isEmpty());
            Awaitility.await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> !one.attached(SharedNode.class).orElseThrow().sendingFailure().isEmpty());
            assertThat(one.stats().consumers().getLast()).satisfies(consumer -> {
                assertThat(consumer.name()).isEqualTo("shared Redis");
                assertThat(consumer.state()).isEqualTo(ConsumerStatus.State.FAILING);
            });
            redis.restart();
            SharedCluster.await("it is back",
                    () -> one.attached(SharedNode.class).orElseThrow().sendingFailure().isEmpty());
        }
    }

    /**
     * Keys are gone whose last states only the stream has. A node that skipped these states puts them back, also if
     * there are more than one script may look at.
     */
    @Test
    void aNodeTakesAllStatesThatItSkippedFromTheStream() throws Exception {
        int many = 10_500;
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR));
                Jedis client = redis.client()) {
            SharedSettings settings = settings(redis, SharedLayout.WEIR);
            Keys keys = new Keys(KeyLayout.of(settings).prefix(0));
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            List<Update> first = new ArrayList<>();
            List<Update> second = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                first.add(Samples.write(i, 1, 10, NOW, null));
                second.add(Samples.write(i, 1, 1, NOW, null));
            }
            SharedCluster.learn(one, first);
            cluster.converge(SharedNodesTest.digests(many));
            two.close();
            // The entry of this one is what the stream loses, so the other node cannot follow.
            SharedCluster.learn(one, List.of(Samples.write(many, 1, 10, NOW, null)));
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            String last = text(client.xrevrange(keys.stream(), "+".getBytes(StandardCharsets.US_ASCII),
                    "-".getBytes(StandardCharsets.US_ASCII), 1).getFirst());
            SharedCluster.learn(one, second);
            SharedCluster.await("sent", () -> one.attached(SharedNode.class).orElseThrow().isSettled());
            one.close();
            client.sendCommand(Protocol.Command.XTRIM, keys.stream(), "MINID".getBytes(StandardCharsets.US_ASCII),
                    (Long.parseLong(last) + 1 + "-0").getBytes(StandardCharsets.US_ASCII));
            for (Digest digest : SharedNodesTest.digests(many)) {
                client.del(KeyLayout.of(settings).keys(0).hash(digest));
            }
            StorageEngine again = cluster.reopen(1);
            SharedCluster.await("compared", () -> again.attached(SharedNode.class).orElseThrow().isSettled()
                    && again.attached(SharedNode.class).orElseThrow().figures(0).rejoined() > 0);
            assertThat(SharedCluster.knows(again, SharedNodesTest.digests(many)).lines()).hasSize(many)
                    .allMatch(line -> line.contains(" 1=11@"));
        }
    }

    /** Returns the number of an entry. */
    private static String text(Object entry) {
        List<?> parts = (List<?>) entry;
        return new String((byte[]) parts.getFirst(), StandardCharsets.US_ASCII).replaceFirst("-.*", "");
    }

    /** A node had its turn after an earlier loss, or never needed one. The next loss waits for it again. */
    @ParameterizedTest
    @EnumSource(ShardConnection.TurnEnd.class)
    void aTurnCountsForOneLoss(ShardConnection.TurnEnd before) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings settings = settings(redis, SharedLayout.WEIR);
            try (ShardConnection one = connect(settings, new Other("0000000000000001", EXPIRE));
                    ShardConnection two = connect(settings, new Other("0000000000000002", EXPIRE));
                    ShardConnection three = connect(settings, new Other("0000000000000003", EXPIRE))) {
                one.join("", DEAD, "one", List.of());
                two.join("", DEAD, "two", List.of());
                three.join("", DEAD, "three", List.of());
                if (before != ShardConnection.TurnEnd.NONE) {
                    assertThat(two.claim("00000000000000c1", List.of(), Map.of())).isEmpty();
                }
                two.free(before);
                assertThat(one.claim("00000000000000c2", List.of("0000000000000002"), Map.of())).isEmpty();
                one.free(ShardConnection.TurnEnd.DONE);
                assertThat(push(three)).isEqualTo(new ShardConnection.Pushed.Busy("0000000000000002"));
                assertThat(two.claim("00000000000000c3", List.of("0000000000000001"), Map.of())).isEmpty();
                two.free(ShardConnection.TurnEnd.DONE);
                assertThat(push(three)).isInstanceOf(ShardConnection.Pushed.Done.class);
            }
        }
    }

    private static ShardConnection.Pushed push(ShardConnection connection) throws StorageException {
        return connection.push(List.of(), -1, 0, Set.of(), 1_000, _ -> false, Set.of());
    }

    /**
     * A node does not know a second one yet, which has not told of itself, and Redis is emptied. The second one puts
     * back its states later than the first one, so the first one must not have sent anything by then.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeSendsNothingBeforeTheTurnOfOneThatItDoesNotKnowYet(boolean hasJustBegun) throws Exception {
        Digest digest = Samples.digest(1);
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, SharedLayout.WEIR))) {
            StorageEngine one = cluster.add();
            SharedNode node = one.attached(SharedNode.class).orElseThrow();
            SharedCluster.learn(one, List.of(Samples.write(1, 1, 10, NOW, null)));
            cluster.converge(List.of(digest));
            try (ShardConnection second = connect(settings(redis, SharedLayout.WEIR), new Other(SECOND, EXPIRE))) {
                String epoch = second.join("", SECOND, "second", List.of()).epoch();
                if (!hasJustBegun) {
                    SharedCluster.await("told twice", () -> node.others().isEmpty());
                    long top = second.states(List.of()).top();
                    second.push(
                            List.of(new LoggedUpdate(1, 0, UpdateOrigin.STORAGE, Samples.write(1, 1, 2, NOW, null))),
                            -1, top, Set.of(), 1_000, _ -> false, Set.of());
                    SharedCluster.await("taken", () -> SharedCluster.knows(one, List.of(digest)).contains(" 1=12@"));
                }
                try (Jedis client = redis.client()) {
                    client.flushAll();
                }
                SharedCluster.learn(one, List.of(Samples.write(1, 1, 5, NOW, null)));
                SharedCluster.await("put back", () -> node.putBack() > 0 && !node.isRestoring());
                assertThat(second.join(epoch, SECOND, "second", List.of()).kin()).isTrue();
                assertThat(push(second))
                        .isEqualTo(new ShardConnection.Pushed.Busy(hasJustBegun ? SharedNode.UNHEARD : SECOND));
                assertThat(second.claim("00000000000000cc", List.of(), Map.of())).isEmpty();
                // The clock of the first one was wrong, so the second one knows a later time of the same update.
                int weight = hasJustBegun ? 10 : 12;
                second.offer(
                        List.of(offered(settings(redis, SharedLayout.WEIR), digest, weight, NOW + 10)),
                        second.states(List.of()).top(), ShardConnection.Merge.LATER, 1_000);
                second.free(ShardConnection.TurnEnd.DONE);
                SharedCluster.await("both count",
                        () -> SharedCluster.knows(one, List.of(digest)).contains(" 1=" + (weight + 5) + "@"));
            }
        }
    }

    /**
     * A node that has seen a delete puts back its states after the turn of the one that deleted, so the delete counts
     * as sent, and no entry of the stream brings it.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aDeleteThatCountsAsSentByTheTurnOfAnotherNodeIsRepeated(SharedLayout layout) throws Exception {
        Digest digest = Samples.digest(1);
        duringATurnThatClaimsTheNextUpdate(layout, (_, one, second) -> {
            SharedCluster.learn(one, List.of(new Update.DeleteAll(digest)));
            second.free(ShardConnection.TurnEnd.DONE);
            SharedCluster.await("the delete counts as sent", one.attached(SharedNode.class).orElseThrow()::isSettled);
            SharedCluster.await("deleted", () -> second.states(List.of(digest)).states().getFirst().length == 0);
            assertThat(SharedCluster.knows(one, List.of(digest))).isEmpty();
        });
    }

    /** What happens while a second node has its turn. */
    private interface Turn {
        void run(SharedSettings shared, StorageEngine one, ShardConnection second) throws Exception;
    }

    /**
     * A node has the first digest with the value 10. A second one has its turn, and says that its states have the next
     * update of the first one.
     */
    private void duringATurnThatClaimsTheNextUpdate(SharedLayout layout, Turn turn) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch)) {
            SharedSettings shared = settings(redis, layout);
            try (SharedCluster cluster = new SharedCluster(scratch, shared);
                    ShardConnection second = connect(shared, new Other(SECOND, EXPIRE))) {
                StorageEngine one = cluster.add();
                SharedCluster.learn(one, List.of(Samples.write(1, 1, 10, NOW, null)));
                cluster.converge(List.of(Samples.digest(1)));
                second.join("", SECOND, "second", List.of());
                String name = one.attached(SharedNode.class).orElseThrow().name();
                assertThat(second.claim("00000000000000cc", List.of(), Map.of(name, one.log().durable() + 1)))
                        .isEmpty();
                turn.run(shared, one, second);
            }
        }
    }

    /**
     * The states that another node puts back have an update of this node whose entry Redis has lost. If it counted as
     * missing until the end of the turn, a further loss meanwhile would double it.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void anUpdateThatAnotherNodePutsBackIsOnItsWayNoLonger(SharedLayout layout) throws Exception {
        Digest digest = Samples.digest(1);
        duringATurnThatClaimsTheNextUpdate(layout, (shared, one, second) -> {
            SharedCluster.learn(one, List.of(Samples.write(1, 1, 5, NOW, null)));
            assertThat(SharedCluster.knows(one, List.of(digest))).contains(" 1=15@");
            second.offer(List.of(offered(shared, digest, 15, NOW + 60)), second.states(List.of()).top(),
                    ShardConnection.Merge.LATER, 1_000);
            long top = second.states(List.of()).top();
            SharedNode node = one.attached(SharedNode.class).orElseThrow();
            SharedCluster.await("used", () -> node.entry(0) >= top);
            assertThat(SharedCluster.knows(one, List.of(digest))).contains(" 1=15@");
            second.free(ShardConnection.TurnEnd.DONE);
        });
    }

    /**
     * Redis comes back without the last update of a second node, which the first one never saw. The first one is back
     * earlier, and must not send its update of the same hash before the second one has put back what it holds.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeSendsNothingToARedisThatRestartedBeforeTheOthersHaveLooked(SharedLayout layout) throws Exception {
        Digest digest = Samples.digest(1);
        try (RedisProcess redis = RedisProcess.start(scratch, "--dbfilename", "dump.rdb", "--save", "");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            SharedCluster.learn(one, List.of(Samples.write(2, 1, 1, NOW, null)));
            cluster.converge(List.of(digest));
            String epoch;
            try (ShardConnection second = connect(settings(redis, layout), new Other(SECOND, EXPIRE))) {
                epoch = second.join("", SECOND, "second", List.of()).epoch();
                second.announce(new SharedPeer(SECOND, "second", 0, 0, 0, 0, 0));
                try (Jedis client = redis.client()) {
                    client.save();
                }
                one.close();
                second.push(List.of(new LoggedUpdate(1, 0, UpdateOrigin.STORAGE, Samples.write(1, 1, 8, NOW, null))),
                        -1, second.states(List.of()).top(), Set.of(), 1_000, _ -> false, Set.of());
            }
            redis.kill();
            redis.restart();
            one = cluster.reopen(0);
            SharedNode node = one.attached(SharedNode.class).orElseThrow();
            SharedCluster.learn(one, List.of(Samples.write(1, 1, 10, NOW, null)));
            byte[] nodes = nodes(settings(redis, layout));
            SharedCluster.await("the first one is back, and has sent its update or waits for the second one", () -> {
                try (Jedis client = redis.client()) {
                    byte[] wait = client.hget(nodes, "wait".getBytes(StandardCharsets.US_ASCII));
                    return node.isWhole() && (node.unsent() == 0
                            || (wait != null && new String(wait, StandardCharsets.US_ASCII).contains(SECOND)));
                }
            });
            try (ShardConnection second = connect(settings(redis, layout), new Other(SECOND, EXPIRE))) {
                second.join(epoch, SECOND, "second", List.of());
                assertThat(second.claim("00000000000000cc", List.of(node.name()), Map.of(SECOND, 1L))).isEmpty();
                second.offer(
                        List.of(offered(settings(redis, layout), digest, 8, NOW)),
                        second.states(List.of()).top(), ShardConnection.Merge.LATER, 1_000);
                second.free(ShardConnection.TurnEnd.DONE);
            }
            SharedCluster.await("sent", () -> node.unsent() == 0);
            assertThat(cluster.converge(List.of(digest))).contains(" 1=18@");
        }
    }

    /** A node began to put back what it holds and never returns. The others answer once, not after each restart. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeAnswersATurnWithoutAnEndOnce(SharedLayout layout) throws Exception {
        List<Digest> digests = SharedNodesTest.digests(HASHES);
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout))) {
            StorageEngine one = cluster.add();
            cluster.add();
            SharedCluster.learn(one, writes(10));
            cluster.converge(digests);
            try (ShardConnection dead = connect(settings(redis, layout), new Other(DEAD, EXPIRE))) {
                dead.join("", DEAD, "dead", List.of());
                assertThat(dead.claim("00000000000000cc", List.of(), Map.of())).isEmpty();
            }
            try (Jedis client = redis.client()) {
                client.hdel(nodes(settings(redis, layout)),
                        "lock".getBytes(StandardCharsets.US_ASCII));
            }
            long before = one.attached(SharedNode.class).orElseThrow().figures(0).rejoined();
            SharedCluster.await("answered",
                    () -> one.attached(SharedNode.class).orElseThrow().figures(0).rejoined() > before);
            cluster.converge(digests);
            cluster.restart(0);
            SharedCluster.learn(cluster.node(0), writes(1));
            cluster.converge(digests);
            assertThat(cluster.node(0).attached(SharedNode.class).orElseThrow().figures(0).rejoined()).isZero();
        }
    }
}
