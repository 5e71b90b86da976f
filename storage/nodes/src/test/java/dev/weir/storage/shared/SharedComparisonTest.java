package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.redis.Keys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;

/** Comparisons of nodes with a real Redis that changes nothing. */
@Tag("peers")
@Timeout(120)
class SharedComparisonTest {
    private static final long NOW = InstantSource.system().millis() / 1_000;
    private static final Duration EXPIRE = Duration.ofDays(90);
    private static final Pattern SCANS = Pattern.compile("cmdstat_scan:calls=([0-9]+)");

    @TempDir
    private Path scratch;

    /** Waits until the nodes of a Redis have asked for some more pages of its keys. */
    static void awaitScans(Jedis redis, int more) throws InterruptedException {
        long wanted = scans(redis) + more;
        SharedCluster.await("comparisons", () -> scans(redis) >= wanted);
    }

    private static long scans(Jedis redis) {
        Matcher stat = SCANS.matcher(redis.info("commandstats"));
        return stat.find() ? Long.parseLong(stat.group(1)) : 0;
    }

    /** Rspamd's hashes end at any fraction of a second, and a comparison reads them at any other one. */
    @Test
    void comparisonsChangeNothingInHashesOfRspamd() throws Exception {
        int hashes = 40;
        try (RedisProcess server = RedisProcess.start(scratch);
                SharedCluster cluster = new SharedCluster(scratch,
                        SharedSettingsBuilder.at(server.address()).reconcile(Duration.ofMillis(1)).build(), EXPIRE);
                Jedis redis = server.client()) {
            Keys keys = new Keys(SharedSettings.PREFIX.getBytes(StandardCharsets.UTF_8));
            long now = redisMillis(redis);
            for (int n = 0; n < hashes; n++) {
                byte[] key = keys.hash(Samples.digest(n));
                Signature signature = Samples.signature(n);
                redis.hset(key, bytes("F"), bytes("1"));
                redis.hset(key, bytes("V"), bytes("10"));
                redis.hset(key, bytes("C"), bytes(Long.toString(NOW)));
                redis.hset(key, bytes("S"), new RspamdLayout(SharedSettings.PREFIX).encode(signature));
                // EXPIRE of Rspamd does this with its time of day.
                redis.pexpireAt(key, now + EXPIRE.toMillis() + n * 1_000 / hashes);
            }
            StorageEngine node = cluster.add();
            SharedCluster.await("all hashes", () -> node.attached(SharedNode.class).orElseThrow().isWhole());
            long stored = node.log().durable();
            assertThat(stored).isGreaterThanOrEqualTo(hashes);
            awaitScans(redis, 12);
            assertThat(node.log().durable()).isEqualTo(stored);
        }
    }

    private static long redisMillis(Jedis redis) {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000 + Long.parseLong(time.get(1)) / 1_000;
    }

    private static byte[] bytes(String text) {
        return RedisConnections.bytes(text);
    }
}
