package dev.weir.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Measures the memory that Redis needs for a hash with shingles: of Rspamd, and of Weir in both layouts
 * (docs/operate/nodes.md#memory-in-redis).
 */
@Tag("long")
class RedisMemoryTest {
    private static final int FIRST = 2_000;
    private static final int HASHES = 4_000;

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "redis-server");
    }

    @Test
    void layoutOfWeirTakesAFractionOfThatOfRspamd() throws Exception {
        long rspamd;
        int port = FreePort.find();
        try (RedisServer redis = RedisServer.start(scratch);
                RspamdPeer _ = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, null,
                        new RspamdPeer.OwnStorage(port, RspamdPeer.redis(redis.port()), null)))) {
            rspamd = learn(redis, port);
        }
        long same = weir("redis_layout = \"rspamd\";");
        long own = weir("redis_layout = \"weir\"; redis_shards = 1;");
        System.out.println("bytes for each hash in Redis: Rspamd " + rspamd + ", Weir with redis_layout = \"rspamd\" "
                + same + ", with \"weir\" " + own);
        assertThat(same).isLessThan(2 * rspamd);
        assertThat(own).isLessThan(rspamd / 10);
    }

    private long weir(String options) throws Exception {
        Path folder = Files.createTempDirectory(scratch, "weir");
        try (RedisServer redis = RedisServer.start(scratch)) {
            Path configuration = Files.writeString(folder.resolve("weir.conf"), """
                    worker "fuzzy" {
                      bind_socket = "127.0.0.1:0"; hash_file = "%s/data/fuzzy.db"; allow_update = "127.0.0.1";
                      expire = 90d; backend = "redis"; servers = "127.0.0.1:%d"; redis_history = 1000; %s
                    }
                    """.formatted(folder, redis.port(), options));
            try (WeirStorage storage = WeirStorage.configured(configuration)) {
                return learn(redis, storage.port());
            }
        }
    }

    /** Learns hashes, and returns the memory that each took. */
    private static long learn(RedisServer redis, int port) throws Exception {
        RawClient client = new RawClient(port);
        Random random = new Random(1);
        try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
            // The first hashes also bring the scripts and the buffers of connections, which do not grow later.
            long before = learn(client, random, jedis, 0, FIRST);
            return (learn(client, random, jedis, FIRST, FIRST + HASHES) - before) / HASHES;
        }
    }

    /** Learns hashes until Redis has a number of them, and returns the memory that it uses then. */
    private static long learn(RawClient client, Random random, Jedis jedis, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            client.ask(write(random));
        }
        await("%d hashes".formatted(to)).atMost(Duration.ofSeconds(100)).until(() -> hashes(jedis, to) >= to);
        assertThat(hashes(jedis, to)).isEqualTo(to);
        // The stream of changes has a fixed length.
        long stream = 0;
        for (String key : jedis.keys("*_weir_stream")) {
            stream += jedis.memoryUsage(key, 0);
        }
        return used(jedis) - stream;
    }

    private static byte[] write(Random random) {
        byte[] bytes = new byte[Protocol.SHINGLED_COMMAND];
        byte[] digest = new byte[Protocol.DIGEST];
        random.nextBytes(digest);
        new CommandWriter().begin(bytes, 0, 3, CommandCode.WRITE).flag(1).value(10).tag(random.nextInt())
                .digest(digest, 0).shingles(random.longs(Protocol.SHINGLES).toArray()).end();
        return bytes;
    }

    private static long used(Jedis jedis) {
        return jedis.info("memory").lines().filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1))).findFirst().orElseThrow();
    }

    /** Returns the number of digests: neither shingles nor what counts and orders them. */
    private static long hashes(Jedis jedis, int wanted) {
        return jedis.dbSize() < wanted
                ? jedis.dbSize()
                : jedis.keys("fuzzy*".getBytes(java.nio.charset.StandardCharsets.US_ASCII)).stream()
                        .filter(key -> key.length == "fuzzy".length() + 64 || key.length == "fuzzy{0}".length() + 64)
                        .count();
    }
}
