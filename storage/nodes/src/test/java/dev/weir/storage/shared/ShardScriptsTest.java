package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the scripts refuse or leave out, one rule after the other. In a node, several rules often catch the same loss,
 * so that tests of whole nodes do not tell whether each of them is there (docs/internals/safety.md#shared-redis).
 */
@Tag("peers")
@Timeout(120)
class ShardScriptsTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final long EXPIRE = Duration.ofDays(90).toSeconds();
    private static final int HISTORY = 1_000;
    private static final Digest ONE = Samples.digest(1);

    @TempDir
    private Path scratch;

    /** A node that tests drive by hand. */
    private static final class Node implements ShardConnection.Sender, AutoCloseable {
        final String name;
        final List<String> runs = new ArrayList<>(List.of(SharedNode.random()));
        final KeyLayout layout;
        final RedisConnections redis;
        final ShardConnection connection;
        long ahead;
        String epoch = "";
        long revision;

        Node(RedisProcess server, SharedLayout layout, String name) throws StorageException {
            SharedSettings settings = SharedSettingsBuilder.of(SharedSettingsBuilder.at(server.address()).build())
                    .layout(layout, 1).build();
            this.name = name;
            this.layout = KeyLayout.of(settings);
            this.redis = new RedisConnections(settings);
            this.connection = open();
            epoch = connection.join("", SharedNode.random(), "machine", List.of()).epoch();
        }

        ShardConnection open() throws StorageException {
            return ShardConnection.open(redis, ShardConnection.Scripts.of(layout), layout, 0, this, Duration.ZERO);
        }

        @Override
        public String node() {
            return name;
        }

        @Override
        public String run() {
            return runs.getFirst();
        }

        @Override
        public List<String> runs() {
            return runs;
        }

        @Override
        public long seconds() {
            return NOW + ahead;
        }

        @Override
        public long correction() {
            return 0;
        }

        @Override
        public long expireSeconds() {
            return EXPIRE;
        }

        ShardConnection.Pushed push(long expected, long seen, Update... updates) throws StorageException {
            List<LoggedUpdate> logged = new ArrayList<>();
            for (Update update : updates) {
                logged.add(new LoggedUpdate(++revision, NOW * 1_000, UpdateOrigin.STORAGE, update));
            }
            return connection.push(logged, expected, seen, Set.of(), HISTORY, _ -> false, new HashSet<>());
        }

        void learn(Update... updates) throws StorageException {
            assertThat(push(-1, 0, updates)).isEqualTo(new ShardConnection.Pushed.Done(revision, 0));
        }

        ShardConnection.Considered offer(long seen, FlagValue flag) throws StorageException {
            return offer(seen, ShardConnection.Merge.GREATER, flag);
        }

        ShardConnection.Considered offer(long seen, ShardConnection.Merge merge, FlagValue flag)
                throws StorageException {
            StoredHash hash = new StoredHash(ONE, List.of(flag), null, 0);
            return connection.offer(List.of(new ShardConnection.Offered(ONE, layout.encode(hash, EXPIRE))), seen, merge,
                    HISTORY);
        }

        /** Tells of a delete that this node made earlier. */
        void deleteAgain(long time) throws StorageException {
            connection.offer(List.of(new ShardConnection.Offered(ONE,
                    ("x1:" + time).getBytes(StandardCharsets.US_ASCII))), top(), ShardConnection.Merge.MISSING,
                    HISTORY);
        }

        long top() throws StorageException {
            return connection.states(List.of()).top();
        }

        /** Returns the flags that Redis has. */
        List<FlagValue> flags() throws StorageException {
            StoredHash hash = layout.decode(ONE, connection.states(List.of(ONE)).states().getFirst(), EXPIRE);
            return hash == null ? List.of() : hash.flags();
        }

        /** Returns the value that Redis has; 0 for none. */
        long value() throws StorageException {
            return flags().isEmpty() ? 0 : flags().getFirst().value();
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    private static Update write(int weight, long time) {
        return new Update.Write(ONE, 1, weight, time, null);
    }

    /** Another connection of the same run has joined the emptied shard already, so its run is known there. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void anEpochIsThatOfTheConnection(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Jedis client = server.client();
                Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW));
            client.flushAll();
            try (ShardConnection again = node.open()) {
                assertThat(again.join(node.epoch, SharedNode.random(), "machine", List.of()).kin()).isTrue();
                assertThatExceptionOfType(ShardConnection.LostRedisException.class).isThrownBy(node::value);
                assertThatExceptionOfType(ShardConnection.LostRedisException.class)
                        .isThrownBy(() -> node.push(-1, 0, write(1, NOW)));
                assertThat(again.states(List.of(ONE)).states().getFirst()).isEmpty();
            }
        }
    }

    /** Another Redis, whose epoch does not follow from the one that the node knows. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aRedisOfOtherNodesIsNotJoined(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(
                            () -> node.connection.join(SharedNode.random(), SharedNode.random(), "machine", List.of()))
                    .withMessageContaining("it is not the one that this node knows");
            assertThat(node.connection.join("", SharedNode.random(), "machine", List.of()).epoch())
                    .isEqualTo(node.epoch);
        }
    }

    /** Two folders with one name: the later run takes over, and a run that Redis does not follow cannot join. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aRunIsThatOfTheNode(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node first = new Node(server, layout, "a1")) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> new Node(server, layout, "a1").close())
                    .withMessageContaining("two nodes have the name a1");
            String before = first.runs.getFirst();
            first.runs.addFirst(SharedNode.random());
            try (ShardConnection later = first.open()) {
                later.join(first.epoch, SharedNode.random(), "machine", List.of());
                first.runs.removeFirst();
                assertThat(first.runs).containsExactly(before);
                assertThatExceptionOfType(StorageException.class).isThrownBy(() -> first.push(-1, 0, write(1, NOW)))
                        .withMessageContaining("two nodes have the name a1");
            }
        }
    }

    /** Redis lacks an update of this node, or a change of another one, that this node has seen in it. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aBatchIsNotPutOnAnOlderState(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW));
            assertThat(node.push(2, 0, write(1, NOW))).isEqualTo(new ShardConnection.Pushed.Behind(1));
            assertThat(node.push(1, node.top() + 1, write(1, NOW))).isEqualTo(new ShardConnection.Pushed.Behind(1));
            assertThat(node.value()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aBatchWaitsForTurnsWithoutAnEnd(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Node dead = new Node(server, layout, "a1");
                Node node = new Node(server, layout, "b2")) {
            node.learn(write(10, NOW));
            assertThat(dead.connection.claim("c3", List.of(), Map.of("b2", 7L))).isEmpty();
            assertThat(node.push(1, 0, write(1, NOW))).isEqualTo(new ShardConnection.Pushed.Busy("a1"));
            dead.connection.free(ShardConnection.TurnEnd.FAILED);
            assertThat(node.push(1, 0, write(1, NOW))).isInstanceOf(ShardConnection.Pushed.Unfinished.class);
            assertThat(node.connection.states(List.of()).claims()).containsExactly("c3");
            assertThat(node.value()).isEqualTo(10);
        }
    }

    /** What a node offers lacks the last change, so it must not take the place of the key that is gone now. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aStateThatChangedLaterIsNotConsidered(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Jedis client = server.client();
                Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW));
            long seen = node.top();
            node.learn(write(5, NOW));
            client.del(node.layout.keys(0).hash(ONE));
            assertThat(node.offer(seen, new FlagValue(1, 10, NOW)).considered()).isEmpty();
            assertThat(node.value()).isZero();
            assertThat(node.offer(node.top(), new FlagValue(1, 15, NOW)))
                    .isEqualTo(new ShardConnection.Considered(Set.of(ONE), Set.of()));
            assertThat(node.value()).isEqualTo(15);
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aStateIsNotPutBackAfterItsDelete(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW), new Update.DeleteAll(ONE));
            assertThat(node.offer(node.top(), new FlagValue(1, 10, NOW)))
                    .isEqualTo(new ShardConnection.Considered(Set.of(ONE), Set.of(ONE)));
            assertThat(node.value()).isZero();
        }
    }

    /** The key of a hash goes before a node has heard of the hash, so its first update must not begin at zero. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void anUpdateOfAHashThatTheNodeHasNotSeenYetNeedsIt(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Jedis client = server.client();
                Node one = new Node(server, layout, "a1");
                Node two = new Node(server, layout, "a2")) {
            one.learn(write(10, NOW));
            client.del(one.layout.keys(0).hash(ONE));
            assertThat(two.push(-1, 0, write(1, NOW))).isInstanceOfSatisfying(ShardConnection.Pushed.Lacking.class,
                    lacking -> assertThat(lacking.digests()).containsExactly(ONE));
            one.offer(one.top(), new FlagValue(1, 10, NOW));
            assertThat(two.push(-1, 0, write(1, NOW))).isInstanceOf(ShardConnection.Pushed.Done.class);
            assertThat(two.value()).isEqualTo(11);
            // A hash that is gone after the node has seen that is a new one.
            client.del(one.layout.keys(0).hash(ONE));
            assertThat(two.push(-1, two.top(), write(1, NOW))).isInstanceOf(ShardConnection.Pushed.Done.class);
            assertThat(two.value()).isEqualTo(1);
        }
    }

    /** A node put back a hash first whose time it had to estimate, because its own updates are on the way. */
    @ParameterizedTest
    @CsvSource({"RSPAMD, GREATER, 100, 15", "WEIR, GREATER, 100, 15", "RSPAMD, LATER, 100, 10", "WEIR, LATER, 100, 10",
        "RSPAMD, GREATER, 0, 15", "WEIR, GREATER, 0, 15"})
    void anEstimatedTimeKeepsNoGreaterValueOut(SharedLayout layout, ShardConnection.Merge first, long later,
            long expected) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.offer(0, first, new FlagValue(1, 10, NOW - 500 + later));
            node.offer(node.top(), ShardConnection.Merge.LATER, new FlagValue(1, 15, NOW - 500));
            assertThat(node.value()).isEqualTo(expected);
            // Its time is known now, so an older state changes nothing.
            node.offer(node.top(), ShardConnection.Merge.LATER, new FlagValue(1, 20, NOW - 900));
            assertThat(node.value()).isEqualTo(expected);
        }
    }

    /** What was learned after a delete stays, and a delete in the future is none. */
    @ParameterizedTest
    @CsvSource({"RSPAMD, -1000, 10", "WEIR, -1000, 10", "RSPAMD, 1000, 10", "WEIR, 1000, 10", "RSPAMD, -10, 0",
        "WEIR, -10, 0"})
    void aDeleteIsRepeatedForWhatIsOlder(SharedLayout layout, long time, long left) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW - 100));
            node.deleteAgain(NOW + time);
            assertThat(node.value()).isEqualTo(left);
        }
    }

    /** A node with a wrong clock may delete nothing again, because the times of its log are wrong as well. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aDeleteOfANodeWithAWrongClockIsNotRepeated(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW - 100));
            node.ahead = 3_600;
            node.deleteAgain(NOW - 10);
            assertThat(node.value()).isEqualTo(10);
        }
    }

    /** The clock of Redis alone ends no life: if the node has another time, an old hash lives for the whole time. */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aStateThatIsOldByTheClockOfRedisAloneLives(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Jedis client = server.client();
                Node node = new Node(server, layout, "a1")) {
            node.ahead = -EXPIRE - 3_600;
            node.learn(write(10, NOW - EXPIRE - 3_600));
            assertThat(node.value()).isEqualTo(10);
            assertThat(client.ttl(node.layout.keys(0).hash(ONE))).isBetween(EXPIRE - 600, EXPIRE + 1);
        }
    }

    /**
     * A learn that was acknowledged long ago and was not sent until now begins its time now, also if the clock of the
     * node is wrong: otherwise, it would count as ended (seed 269 of SharedSimulationTest).
     */
    @ParameterizedTest
    @CsvSource({"RSPAMD, true", "RSPAMD, false", "WEIR, true", "WEIR, false"})
    void aLearnThatIsOlderThanExpireBeginsNow(SharedLayout layout, boolean agrees) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, layout, "a1")) {
            node.ahead = agrees ? 0 : -2 * EXPIRE;
            node.learn(write(10, NOW - 2 * EXPIRE));
            assertThat(node.flags()).singleElement()
                    .satisfies(flag -> assertThat(flag.time()).isBetween(NOW - 60, NOW + 600));
        }
    }

    /** A flag that is old by the clock of Redis goes with the next learn of a node whose clock agrees. */
    @Test
    void twoClocksBuryAFlag() throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch); Node node = new Node(server, SharedLayout.WEIR, "a1")) {
            node.learn(write(10, NOW));
            node.offer(node.top(), ShardConnection.Merge.LATER, new FlagValue(2, 3, NOW - EXPIRE - 3_600));
            node.ahead = -EXPIRE - 3_600;
            node.learn(write(1, NOW));
            assertThat(node.flags()).extracting(FlagValue::flag).containsExactlyInAnyOrder(1, 2);
            node.ahead = 0;
            node.learn(write(1, NOW));
            assertThat(node.flags()).extracting(FlagValue::flag).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeWhoseClockIsAheadDoesNotRenew(SharedLayout layout) throws Exception {
        try (RedisProcess server = RedisProcess.start(scratch);
                Jedis client = server.client();
                Node node = new Node(server, layout, "a1")) {
            node.learn(write(10, NOW - EXPIRE + 3_600));
            long before = client.ttl(node.layout.keys(0).hash(ONE));
            node.ahead = 2 * EXPIRE;
            node.learn(new Update.Refresh(ONE, NOW + 2 * EXPIRE));
            assertThat(client.ttl(node.layout.keys(0).hash(ONE))).isBetween(before - 600, before);
        }
    }
}
