package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogLimits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import static dev.weir.storage.shared.SharedCluster.troubles;
import static dev.weir.storage.shared.SharedLossTest.EXPIRE;
import static dev.weir.storage.shared.SharedLossTest.HASHES;
import static dev.weir.storage.shared.SharedLossTest.all;
import static dev.weir.storage.shared.SharedLossTest.assertValues;
import static dev.weir.storage.shared.SharedLossTest.hashes;
import static dev.weir.storage.shared.SharedLossTest.settings;
import static dev.weir.storage.shared.SharedLossTest.writes;
import static org.assertj.core.api.Assertions.assertThat;

/** The clock of a node that shares a real Redis is wrong: no hash ends early, and none is lost. */
@Tag("peers")
@Timeout(120)
class SharedWrongClockTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final Duration FAR = Duration.ofDays(200);

    @TempDir
    private Path scratch;

    /** A clock that a test sets. */
    private static final class SetClock implements InstantSource {
        final AtomicReference<Duration> off = new AtomicReference<>(Duration.ZERO);

        @Override
        public Instant instant() {
            return InstantSource.system().instant().plus(off.get());
        }
    }

    /** Adds a node, and waits until it has everything that Redis has. */
    private static StorageEngine firstOf(SharedCluster cluster) throws StorageException {
        StorageEngine node = cluster.add();
        SharedCluster.await("the first node is there",
                () -> node.attached(SharedNode.class).orElseThrow().isSettled());
        return node;
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeWhoseClockIsAheadBuriesNothing(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout), EXPIRE)) {
            SetClock clock = new SetClock();
            StorageEngine one = cluster.add();
            StorageEngine two = cluster.add(LogLimits.DEFAULT, clock);
            SharedCluster.learn(one, writes(0, HASHES, 10));
            assertValues(cluster.converge(all()), HASHES, 10);
            clock.off.set(FAR);
            SharedCluster.await("the clock is doubted",
                    () -> troubles(two).contains("200 days ahead of that of Redis"));
            List<Update> renewals = new ArrayList<>();
            for (Digest digest : all()) {
                renewals.add(new Update.Refresh(digest, two.hashes().recordedSeconds(two.hashes().now())));
            }
            SharedCluster.learn(two, renewals);
            SharedCluster.await("sent", () -> two.attached(SharedNode.class).orElseThrow().unsent() == 0);
            SharedCluster.learn(one, writes(0, 1, 1));
            SharedCluster.await("the others hear", () -> two.find(Samples.digest(0)).getFirst().value() == 11);
            try (Jedis client = redis.client()) {
                assertThat(hashes(client, layout)).hasSize(HASHES);
            }
            for (Digest digest : all()) {
                assertThat(one.find(digest)).isNotEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void whatANodeLearnsWhoseClockIsBehindLives(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout), EXPIRE)) {
            SetClock clock = new SetClock();
            clock.off.set(FAR.negated());
            StorageEngine one = firstOf(cluster);
            StorageEngine two = cluster.add(LogLimits.DEFAULT, clock);
            SharedCluster.await("the clock is doubted",
                    () -> troubles(two).contains("200 days behind that of Redis, and"));
            long time = two.hashes().recordedSeconds(two.hashes().now());
            assertThat(time).isLessThan(NOW - EXPIRE.toSeconds());
            SharedCluster.learn(two, List.of(new Update.Write(Samples.digest(1), 1, 10, time, null)));
            SharedCluster.await("the other node has it", () -> !one.find(Samples.digest(1)).isEmpty());
            assertThat(one.find(Samples.digest(1)).getFirst().time()).isBetween(
                    InstantSource.system().millis() / 1_000 - 60, InstantSource.system().millis() / 1_000 + 60);
            one.sweep().join();
            assertThat(one.find(Samples.digest(1))).hasSize(1);
            try (Jedis client = redis.client()) {
                assertThat(hashes(client, layout)).hasSize(1);
            }
        }
    }

    /**
     * A node whose clock is behind learned before its first contact with Redis. Its new hashes are not those that Redis
     * has lost, and need no offer that a wrong clock forbids.
     */
    @ParameterizedTest
    @EnumSource(SharedLayout.class)
    void aNodeWhoseClockIsBehindSendsWhatItLearnedBeforeItJoined(SharedLayout layout) throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "always");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, layout), EXPIRE)) {
            SetClock clock = new SetClock();
            clock.off.set(FAR.negated());
            StorageEngine one = firstOf(cluster);
            redis.kill();
            StorageEngine two = cluster.add(LogLimits.DEFAULT, clock);
            long time = two.hashes().recordedSeconds(two.hashes().now());
            SharedCluster.learn(two, List.of(new Update.Write(Samples.digest(1), 1, 10, time, null)));
            // After a restart, it knows from its log only what it learned, and not that the hash was new.
            cluster.restart(1, clock);
            redis.restart();
            SharedCluster.await("the other node has it", () -> !one.find(Samples.digest(1)).isEmpty());
            assertThat(one.find(Samples.digest(1)).getFirst().value()).isEqualTo(10);
        }
    }
}
