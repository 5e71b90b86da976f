package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;

import dev.weir.storage.StorageException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests a real Redis on a Unix-domain socket. */
@Tag("peers")
@Timeout(60)
class RedisSocketTest {
    private static final byte[] KEY = RedisConnections.bytes("k");

    @TempDir
    Path scratch;

    @Test
    void asksRedisOnASocket() throws Exception {
        Path socket = scratch.resolve("redis.sock");
        SharedSettings settings = SharedSettingsBuilder
                .at(RedisAddress.parse(socket.toString(), RedisAddress.PORT)).build();
        assertThat(settings.servers().getFirst()).hasToString(socket.toString());
        RedisConnections connections = new RedisConnections(settings);
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> connections.master(KEY, Duration.ZERO))
                .withMessageContaining(socket.toString()).withMessageNotContaining("null");
        try (RedisProcess redis = RedisProcess.start(scratch, "--unixsocket", socket.toString());
                Jedis jedis = connections.master(KEY, Duration.ofMillis(200))) {
            byte[] large = new byte[3 << 20];
            java.util.Arrays.fill(large, (byte) 7);
            jedis.set(KEY, large);
            assertThat(jedis.get(KEY)).isEqualTo(large);
            assertThat(redis.client().get(KEY)).isEqualTo(large);
            redis.signal("STOP");
            try {
                assertThatExceptionOfType(redis.clients.jedis.exceptions.JedisConnectionException.class)
                        .isThrownBy(() -> jedis.get(KEY));
            } finally {
                redis.signal("CONT");
            }
        }
    }
}
