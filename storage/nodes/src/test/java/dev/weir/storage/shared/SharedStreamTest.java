package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.redis.SharedPosition;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A stream that no longer has what a node must read next. Comparisons with Redis, which find such a loss as well, are
 * ten minutes apart here, so that the chain of marks alone tells of it.
 */
@Tag("peers")
@Timeout(120)
class SharedStreamTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final Duration EXPIRE = Duration.ofDays(90);

    /** Appends a state of another node to the stream, and sets another key whose entry is gone, in one step. */
    private static final String LOSE = """
            local nodes, stream, key, lost = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
            local top = tonumber(redis.call('HGET', nodes, 'applied')) + tonumber(ARGV[1])
            local before = ARGV[2] ~= '' and ARGV[2] or redis.call('HGET', nodes, 'mark')
            redis.call('SET', key, ARGV[4])
            redis.call('SET', lost, ARGV[6])
            local id = top .. '-1'
            redis.call('XADD', stream, id, 'n', 'dd', 'r', '1', 'p', before, 'm', 'feed', ARGV[3], '-' .. ARGV[4])
            redis.call('HSET', nodes, 'applied', top, 'mark', 'feed', 'n:dd', '1')
            """;

    @TempDir
    private Path scratch;

    private static SharedSettings settings(RedisProcess redis, Duration reconcile) {
        return SharedSettingsBuilder.at(redis.address()).layout(SharedLayout.WEIR, 1).reconcile(reconcile).build();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] state(KeyLayout layout, Digest digest) {
        return layout.encode(new StoredHash(digest, List.of(new FlagValue(1, 10, NOW)), null, 0), EXPIRE.toSeconds());
    }

    /**
     * Has Redis lose an entry.
     *
     * @param changes by how much the number of the next entry is greater
     * @param before the mark that it names before its own; empty for the right one
     */
    private static void lose(Jedis redis, SharedSettings settings, int changes, String before) {
        KeyLayout layout = KeyLayout.of(settings);
        Digest there = Samples.digest(2);
        Digest gone = Samples.digest(3);
        List<byte[]> keys = new ArrayList<>(layout.common(0));
        keys.add(layout.keys(0).hash(there));
        keys.add(layout.keys(0).hash(gone));
        redis.eval(ascii(LOSE), keys, List.of(ascii(Integer.toString(changes)), ascii(before), there.toBytes(),
                state(layout, there), gone.toBytes(), state(layout, gone)));
    }

    private static void await(StorageEngine node, int number) {
        SharedCluster.await("the node has it", () -> !node.find(Samples.digest(number)).isEmpty());
    }

    /** The entry of another change is missing, or the next one belongs to another history of the same length. */
    @ParameterizedTest
    @ValueSource(strings = {"", "0000"})
    void aLossIsNoticedOnAnOpenConnection(String before) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                Jedis client = redis.client();
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, Duration.ofMinutes(10)), EXPIRE)) {
            StorageEngine node = cluster.add();
            SharedCluster.learn(node, List.of(Samples.write(1, 1, 10, NOW, null)));
            SharedCluster.await("settled", () -> node.attached(SharedNode.class).orElseThrow().isSettled());
            lose(client, settings(redis, Duration.ZERO), before.isEmpty() ? 2 : 1, before);
            await(node, 2);
            await(node, 3);
            assertThat(node.find(Samples.digest(1))).hasSize(1);
        }
    }

    /** The stream has nothing after the place of the node, or another change at this place and nothing after it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLossIsNoticedWhenTheNodeComesBack(boolean replaced) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                Jedis client = redis.client();
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, Duration.ofMinutes(10)), EXPIRE)) {
            StorageEngine node = cluster.add();
            SharedCluster.learn(node, List.of(Samples.write(1, 1, 10, NOW, null)));
            SharedCluster.await("settled", () -> node.attached(SharedNode.class).orElseThrow().isSettled());
            node.close();
            SharedSettings settings = settings(redis, Duration.ZERO);
            byte[] stream = KeyLayout.of(settings).keys(0).stream();
            if (replaced) {
                client.del(stream);
                lose(client, settings, 0, "");
            } else {
                lose(client, settings, 1, "");
                client.xtrim(stream, 0, false);
            }
            StorageEngine again = cluster.reopen(0);
            await(again, 2);
            await(again, 3);
        }
    }

    /** Redis forgets a delete after 30 days, so a node that was away for longer may hold what others have deleted. */
    @Test
    void aNodeThatWasAwayForTooLongStops() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, Duration.ofMinutes(10)), EXPIRE)) {
            StorageEngine node = cluster.add();
            SharedCluster.learn(node, List.of(Samples.write(1, 1, 10, NOW, null)));
            SharedCluster.await("settled", () -> node.attached(SharedNode.class).orElseThrow().isSettled());
            long storage = node.storageId();
            node.close();
            StateFiles files = new StateFiles(cluster.folder(0), InstantSource.system());
            SharedPosition.read(files, storage).orElseThrow()
                    .withHeard(NOW - SharedNode.REMEMBERED.toSeconds() - 3_600).write(files, storage);
            StorageEngine again = cluster.reopen(0);
            SharedCluster.await("it stops", () -> again.attached(SharedNode.class).orElseThrow().sendingFailure()
                    .contains("this node has not heard of"));
            assertThat(again.find(Samples.digest(1))).hasSize(1);
        }
    }

    /** A hash that ends soon is not put back, and stays on the node until its own end. */
    @Test
    void absenceEndsNoHash() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                Jedis client = redis.client();
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, Duration.ofMillis(50)), EXPIRE)) {
            StorageEngine node = cluster.add();
            long end = InstantSource.system().millis() / 1_000 + 118;
            SharedCluster.learn(node, List.of(Samples.write(1, 1, 10, end - EXPIRE.toSeconds(), null)));
            SharedCluster.await("settled", () -> node.attached(SharedNode.class).orElseThrow().isSettled());
            assertThat(client.del(KeyLayout.of(settings(redis, Duration.ZERO)).keys(0).hash(Samples.digest(1))))
                    .isEqualTo(1);
            SharedComparisonTest.awaitScans(client, 6);
            assertThat(node.hashes().size()).isEqualTo(1);
            assertThat(node.attached(SharedNode.class).orElseThrow().putBack()).isZero();
        }
    }
}
