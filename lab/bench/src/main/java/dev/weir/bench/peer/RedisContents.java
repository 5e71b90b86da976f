package dev.weir.bench.peer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import dev.weir.load.population.Population;
import dev.weir.testkit.RedisServer;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** The keys of Rspamd's Redis backend (docs/reference/storage.md#redis-keys). */
final class RedisContents implements Contents {
    private static final byte[] PREFIX = "fuzzy".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VALUE = {'V'};
    private static final byte[] FLAG = {'F'};
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int AT_ONCE = 1000;

    private final Workspace workspace;
    private final RedisServer server;

    RedisContents(Workspace workspace, RedisServer server) {
        this.workspace = workspace;
        this.server = server;
    }

    private Jedis connect() {
        return new Jedis(new HostAndPort("127.0.0.1", server.port()), DefaultJedisClientConfig.builder()
                .socketTimeoutMillis(TIMEOUT_MILLIS)
                .protocol(RedisProtocol.RESP2)
                .autoNegotiateProtocol(false)
                .build());
    }

    /** Counts the keys of hashes, because the counter that Rspamd maintains counts operations. */
    @Override
    public long count() throws IOException {
        try (Jedis redis = connect()) {
            if (redis.dbSize() == 0) {
                return 0;
            }
            long count = 0;
            byte[] cursor = ScanParams.SCAN_POINTER_START_BINARY;
            do {
                ScanResult<byte[]> found = redis.scan(cursor, new ScanParams().count(10 * AT_ONCE),
                        "hash".getBytes(StandardCharsets.US_ASCII));
                count += found.getResult().size();
                cursor = found.getCursorAsBytes();
            } while (!new String(cursor, StandardCharsets.US_ASCII).equals(ScanParams.SCAN_POINTER_START));
            return count;
        } catch (JedisException e) {
            throw new IOException("redis cannot be counted", e);
        }
    }

    @Override
    public Tally tally(Population population, BitSet numbers) throws IOException {
        int[] tally = new int[2];
        try (Jedis redis = connect()) {
            List<Integer> some = new ArrayList<>();
            for (int n = numbers.nextSetBit(0); n >= 0; n = numbers.nextSetBit(n + 1)) {
                some.add(n);
                if (some.size() == AT_ONCE) {
                    look(redis, population, some, tally);
                    some.clear();
                }
            }
            look(redis, population, some, tally);
        } catch (JedisException e) {
            throw new IOException("redis cannot be read", e);
        }
        return new Tally(tally[0], tally[1]);
    }

    private static void look(Jedis redis, Population population, List<Integer> numbers, int[] tally) {
        List<Response<List<byte[]>>> answers = new ArrayList<>();
        try (Pipeline pipeline = redis.pipelined()) {
            for (int n : numbers) {
                byte[] digest = population.digest(n);
                byte[] key = new byte[PREFIX.length + digest.length];
                System.arraycopy(PREFIX, 0, key, 0, PREFIX.length);
                System.arraycopy(digest, 0, key, PREFIX.length, digest.length);
                answers.add(pipeline.hmget(key, FLAG, VALUE));
            }
            pipeline.sync();
        }
        for (int i = 0; i < answers.size(); i++) {
            List<byte[]> fields = answers.get(i).get();
            if (fields.get(0) != null && fields.get(1) != null) {
                tally[0]++;
                tally[1] += number(fields.get(0)) == population.flag(numbers.get(i))
                        && number(fields.get(1)) == population.value(numbers.get(i)) ? 1 : 0;
            }
        }
    }

    private static long number(byte[] text) {
        return Long.parseLong(new String(text, StandardCharsets.US_ASCII));
    }

    @Override
    public Outage takeAway() throws IOException {
        return workspace.pause(server.process());
    }
}
