package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import dev.weir.model.Digest;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Updates that are acknowledged when a real Redis has them. */
@Tag("peers")
@Timeout(120)
class SharedAcknowledgeTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;

    @TempDir
    private Path scratch;

    private static SharedSettings settings(RedisProcess redis, int replicas, boolean onDisk, Duration patience) {
        return SharedSettingsBuilder.at(redis.address()).reconcile(Duration.ZERO).layout(SharedLayout.WEIR, 2)
                .confirmation(new SharedSettings.Confirmation(true, replicas, onDisk, patience)).build();
    }

    private static CompletableFuture<Void> learn(StorageEngine node, int number) {
        return node.apply(Samples.write(number, 1, 5, NOW, Samples.signature(number)));
    }

    private static boolean has(RedisProcess redis, int number) {
        KeyLayout layout = new ShardedLayout("fuzzy", 2);
        Digest digest = Samples.digest(number);
        try (Jedis client = redis.client()) {
            return client.exists(layout.keys(layout.shard(digest)).hash(digest));
        }
    }

    @Test
    void anAcknowledgedUpdateIsInRedis() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        settings(redis, 0, false, Duration.ofSeconds(30)))) {
            StorageEngine node = cluster.add();
            for (int i = 0; i < 50; i++) {
                learn(node, i).get(60, TimeUnit.SECONDS);
                assertThat(has(redis, i)).as("hash %d", i).isTrue();
            }
            // After a start, too, although there is nothing to send.
            cluster.restart(0);
            learn(cluster.node(0), 50).get(60, TimeUnit.SECONDS);
        }
    }

    /** The update is stored here all the same, and Redis gets it later. */
    @Test
    void withoutRedisTheClientHearsAnErrorAndNothingIsLost() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        settings(redis, 0, false, Duration.ofMillis(300)))) {
            StorageEngine node = cluster.add();
            SharedCluster.await("the node has begun", () -> node.attached(SharedNode.class).orElseThrow().isWhole());
            redis.signal("STOP");
            assertThatThrownBy(() -> learn(node, 1).get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(node.writer().unreplicated()).isEqualTo(1);
            redis.signal("CONT");
            SharedCluster.await("Redis has the update", () -> has(redis, 1));
        }
    }

    @Test
    void replicasAreWaitedFor() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--repl-diskless-sync-delay", "0");
                RedisProcess replica = RedisProcess.start(scratch, "--replicaof", "127.0.0.1 " + redis.port());
                SharedCluster cluster = new SharedCluster(scratch,
                        settings(redis, 1, false, Duration.ofSeconds(2)))) {
            SharedCluster.await("the replica follows", () -> isFollowing(replica));
            StorageEngine node = cluster.add();
            SharedCluster.await("an update is acknowledged", () -> !learn(node, 1).handle((_, e) -> e != null).join());
            for (int i = 2; i < 30; i++) {
                learn(node, i).get(60, TimeUnit.SECONDS);
                assertThat(has(replica, i)).as("hash %d", i).isTrue();
            }
            replica.signal("STOP");
            assertThatThrownBy(() -> learn(node, 30).get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            SharedCluster.await("the reason is told",
                    () -> node.attached(SharedNode.class).orElseThrow().sendingFailure()
                            .contains("0 replicas have the last updates, and redis_replicas is 1"));
            assertThat(has(redis, 30)).isTrue();
            replica.signal("CONT");
            SharedCluster.await("updates are acknowledged again",
                    () -> !learn(node, 31).handle((_, e) -> e != null).join());
        }
    }

    private static boolean isFollowing(RedisProcess replica) {
        try (Jedis client = replica.client()) {
            return client.info("replication").contains("master_link_status:up");
        }
    }

    /** What the settings of a server do not promise is not acknowledged. */
    @Test
    void theDiskOfRedisIsNotPromisedWithoutItsWord() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch, "--appendonly", "yes", "--appendfsync", "everysec");
                SharedCluster cluster = new SharedCluster(scratch, settings(redis, 0, true, Duration.ofSeconds(3)))) {
            StorageEngine node = cluster.add();
            if (RedisPromise.of(redis.client()).waitsForDisk()) {
                learn(node, 1).get(60, TimeUnit.SECONDS);
                return;
            }
            assertThatThrownBy(() -> learn(node, 1).get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(node.attached(SharedNode.class).orElseThrow().sendingFailure())
                    .contains("redis_fsync needs appendfsync always");
            try (Jedis client = redis.client()) {
                client.configSet("appendfsync", "always");
            }
            SharedCluster.await("updates are acknowledged",
                    () -> !learn(node, 2).handle((_, e) -> e != null).join());
        }
    }

    /** WAITAOF is not in the Redis of every system: its end is waited for with the one of Valkey, where it is there. */
    @Test
    void theDiskOfRedisIsWaitedFor() throws Exception {
        Installed.require("valkey-server", "valkey-server");
        try (RedisProcess valkey = RedisProcess.startProgram("valkey-server", scratch, "--appendonly", "yes",
                "--appendfsync", "everysec");
                SharedCluster cluster = new SharedCluster(scratch, settings(valkey, 0, true, Duration.ofSeconds(30)))) {
            StorageEngine node = cluster.add();
            for (int i = 0; i < 3; i++) {
                learn(node, i).get(60, TimeUnit.SECONDS);
                assertThat(has(valkey, i)).isTrue();
            }
            assertThat(node.attached(SharedNode.class).orElseThrow().figures(0).promise()).startsWith("valkey ");
        }
    }

    @Test
    void theNodeSaysWhatTheSettingsOfRedisPromise() throws Exception {
        try (RedisProcess redis = RedisProcess.start(scratch); Jedis client = redis.client()) {
            assertThat(RedisPromise.of(client).describe())
                    .contains("after a restart the nodes put back what they hold");
            assertThat(RedisPromise.of(client).isWeak()).isTrue();
            client.configSet("save", "60 1000");
            assertThat(RedisPromise.of(client).describe()).contains("since its last snapshot", "save 60 1000");
            client.configSet("appendonly", "yes");
            assertThat(RedisPromise.of(client).describe()).contains("up to its last second");
            assertThat(RedisPromise.of(client).isWeak()).isFalse();
            client.configSet("appendfsync", "always");
            assertThat(RedisPromise.of(client).describe()).contains("loses nothing that it has accepted");
            client.configSet("maxmemory", "100mb");
            client.configSet("maxmemory-policy", "allkeys-lru");
            assertThat(RedisPromise.of(client).describe()).contains("set noeviction");
            assertThat(RedisPromise.of(client).isWeak()).isTrue();
            client.aclSetUser("poor", "on", ">secret", "~*", "+ping");
            try (Jedis poor = redis.client()) {
                poor.auth("poor", "secret");
                assertThat(RedisPromise.of(poor).describe()).contains("may not use CONFIG GET");
            }
        }
    }
}
