package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that has an older state than a node, and only one sign of that. A node that believed this state would drop
 * what it holds.
 */
@Tag("peers")
@Timeout(120)
class SharedOlderStateTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final Duration EXPIRE = Duration.ofDays(90);
    private static final String OTHER = "00000000000000dd";
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=([0-9]+)");

    /** Sets a state, and a field of what Redis knows of the nodes, in one step. */
    private static final String SET = """
            redis.call('SET', KEYS[3], ARGV[1])
            redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
            """;

    /** Removes a state, and counts an update as had. */
    private static final String COUNT = """
            redis.call('DEL', KEYS[3])
            redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
            """;

    /** Appends a change of another node to the stream, which sets a state. */
    private static final String CHANGE = """
            local top = tonumber(redis.call('HGET', KEYS[1], 'applied')) + 1
            local id = top .. '-1'
            local before = redis.call('HGET', KEYS[1], 'mark')
            redis.call('SET', KEYS[3], ARGV[2])
            redis.call('XADD', KEYS[2], id, 'n', ARGV[3], 'r', '1', 'p', before, 'm', 'feed', ARGV[1],
                '-' .. ARGV[2])
            redis.call('HSET', KEYS[1], 'applied', top, 'mark', 'feed', 'n:' .. ARGV[3], '1')
            """;

    @TempDir
    private Path scratch;

    private RedisProcess redis;
    private Jedis client;

    @BeforeEach
    void start() throws Exception {
        redis = RedisProcess.start(scratch);
        client = redis.client();
    }

    @AfterEach
    void end() {
        client.close();
        redis.close();
    }

    private SharedCluster cluster(Duration reconcile) {
        return new SharedCluster(scratch, settings(reconcile), EXPIRE);
    }

    private SharedSettings settings(Duration reconcile) {
        return SharedSettingsBuilder.at(redis.address()).layout(SharedLayout.WEIR, 1).reconcile(reconcile).build();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private KeyLayout layout() {
        return KeyLayout.of(settings(Duration.ZERO));
    }

    private byte[] state(int number, long value, long time) {
        return layout().encode(new StoredHash(Samples.digest(number), List.of(new FlagValue(1, value, time)), null, 0),
                EXPIRE.toSeconds());
    }

    private List<byte[]> keys(int number) {
        List<byte[]> keys = new ArrayList<>(layout().common(0));
        keys.add(layout().keys(0).hash(Samples.digest(number)));
        return keys;
    }

    private byte[] nodes() {
        return layout().keys(0).nodes();
    }

    /** Has Redis go back to a value of 4 that is older. */
    private void goBack(int number, String field, String value) {
        client.eval(ascii(SET), keys(number), List.of(state(number, 4, NOW - 100), ascii(field), ascii(value)));
    }

    private static SharedNode shared(StorageEngine node) {
        return node.attached(SharedNode.class).orElseThrow();
    }

    private static void learn(StorageEngine node, int number, long value) {
        SharedCluster.learn(node, List.of(Samples.write(number, 1, value, NOW, null)));
        SharedCluster.await("sent", () -> shared(node).isSettled());
    }

    private static long value(StorageEngine node, int number) {
        List<FlagValue> flags = node.find(Samples.digest(number));
        return flags.isEmpty() ? 0 : flags.getFirst().value();
    }

    private static void awaitValue(StorageEngine node, int number, long value) {
        SharedCluster.await("the node has it", () -> value(node, number) == value);
    }

    private long scripts() {
        Matcher stat = SCRIPTS.matcher(client.info("commandstats"));
        return stat.find() ? Long.parseLong(stat.group(1)) : 0;
    }

    private void awaitScripts(int more) {
        long wanted = scripts() + more;
        SharedCluster.await("scripts", () -> scripts() >= wanted);
    }

    private static String held() {
        return OTHER + " " + (InstantSource.system().millis() / 1_000 + 30);
    }

    private static String claim() {
        return OTHER + ":00000000000000cc:" + NOW;
    }

    /** A node that began to put back what it holds did not end that. The other nodes still hold the later states. */
    @Test
    void aComparisonMindsATurnWithoutAnEnd() throws Exception {
        try (SharedCluster cluster = cluster(Duration.ofMillis(20))) {
            StorageEngine node = cluster.add();
            learn(node, 1, 10);
            long before = shared(node).figures(0).rejoined();
            goBack(1, "claims", claim());
            SharedCluster.await("put back", () -> shared(node).figures(0).rejoined() > before);
            assertThat(value(node, 1)).isEqualTo(10);
            StoredHash inRedis = Objects.requireNonNull(layout().decode(Samples.digest(1),
                    client.get(keys(1).getLast()), EXPIRE.toSeconds()));
            assertThat(inRedis.flags().getFirst().value()).isEqualTo(10);
        }
    }

    /** While another node puts back what it holds, Redis may have any state. */
    @Test
    void aComparisonWaitsForTheTurnOfAnotherNode() throws Exception {
        try (SharedCluster cluster = cluster(Duration.ofMillis(20))) {
            StorageEngine node = cluster.add();
            learn(node, 1, 10);
            goBack(1, "lock", held());
            // Each comparison asks for states first.
            awaitScripts(4);
            assertThat(value(node, 1)).isEqualTo(10);
        }
    }

    /** A node that does not know what it missed starts over while a turn has no end. */
    @Test
    void aNodeThatBeginsAnewMindsATurnWithoutAnEnd() throws Exception {
        try (SharedCluster cluster = cluster(Duration.ofMinutes(10))) {
            StorageEngine node = cluster.add();
            learn(node, 1, 10);
            node.close();
            change(2, 10);
            client.xtrim(layout().keys(0).stream(), 0, false);
            goBack(1, "claims", claim());
            // So that the thread that follows the stream finds it, and not the one that sends.
            client.hset(nodes(), ascii("lock"), ascii(held()));
            StorageEngine again = cluster.reopen(0);
            awaitScripts(20);
            client.hdel(nodes(), ascii("lock"));
            awaitValue(again, 2, 10);
            SharedCluster.await("compared", () -> shared(again).isWhole());
            assertThat(value(again, 1)).isEqualTo(10);
        }
    }

    private void change(int number, long value) {
        client.eval(ascii(CHANGE), keys(number),
                List.of(Samples.digest(number).toBytes(), state(number, value, NOW), ascii(OTHER)));
    }

    /** Redis has as many changes as the node has seen, and fewer of another node. */
    @Test
    void aNodeThatBeginsAnewMindsWhatRedisLacksOfOtherNodes() throws Exception {
        try (SharedCluster cluster = cluster(Duration.ofMinutes(10))) {
            StorageEngine node = cluster.add();
            learn(node, 1, 10);
            change(2, 10);
            awaitValue(node, 2, 10);
            learn(node, 3, 10);
            node.close();
            change(4, 10);
            client.xtrim(layout().keys(0).stream(), 0, false);
            goBack(2, "n:" + OTHER, "0");
            StorageEngine again = cluster.reopen(0);
            SharedCluster.await("compared", () -> shared(again).isWhole() && shared(again).figures(0).rejoined() > 0);
            assertThat(value(again, 2)).isEqualTo(10);
        }
    }

    /**
     * A node that skipped a part of the stream, and cannot compare anything. Redis loses a key whose last state this
     * node never saw, so what the node holds must not take its place. The stream has that state.
     */
    @Test
    void aNodeThatSkippedStatesPutsNoOlderOneUnderItsUpdates() throws Exception {
        SharedSettings usual = settings(Duration.ofMinutes(10));
        RedisAddress nowhere = new RedisAddress(usual.servers().getFirst().host(), 1);
        try (SharedCluster cluster = cluster(Duration.ofMinutes(10))) {
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add();
            learn(one, 1, 10);
            awaitValue(two, 1, 10);
            two.close();
            learn(one, 3, 1);
            client.xtrim(layout().keys(0).stream(), 0, false);
            learn(one, 1, 2);
            try (StorageEngine cut = SharedCluster.open(cluster.folder(1),
                    SharedSettingsBuilder.of(usual).readers(List.of(nowhere)).build(), EXPIRE)) {
                SharedCluster.await("it cannot compare", () -> !shared(cut).listeningFailure().isEmpty());
                // By now it pauses for long before it tries again.
                awaitScripts(40);
                client.del(keys(1).getLast());
                SharedCluster.learn(cut, List.of(Samples.write(1, 1, 5, NOW, null)));
                SharedCluster.await("sent", () -> shared(cut).unsent() == 0);
            }
            awaitValue(one, 1, 17);
        }
    }

    /**
     * Redis counts an update as had of which the stream tells nothing, and loses the key. What the node holds without
     * its updates is not sure then, so a later update of the hash waits until a comparison has put the hash back.
     */
    @Test
    void anUpdateWaitsForAnEarlierOneThatNoStateHasBrought() throws Exception {
        try (SharedCluster cluster = cluster(Duration.ofMinutes(10))) {
            StorageEngine node = cluster.add();
            learn(node, 1, 10);
            client.eval(ascii(COUNT), keys(1), List.of(ascii("n:" + shared(node).name()),
                    ascii(Long.toString(node.log().durable() + 1))));
            SharedCluster.learn(node,
                    List.of(Samples.write(1, 1, 5, NOW, null), Samples.write(1, 1, 3, NOW, null)));
            SharedCluster.await("settled", () -> shared(node).isSettled());
            awaitValue(node, 1, 13);
        }
    }
}
