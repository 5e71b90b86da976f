package dev.weir.storage.transfer.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.redis.Keys;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * The fetch of all hashes of a place into a spool. One scan over all keys fetches the hashes. Only if some of them do
 * not list their shingles, a second scan fetches the keys of their shingles. The cursor of SCAN is stored with the
 * fetched data. Redis guarantees that a scan continued from it later still returns every key that existed all the time.
 */
final class RedisFetch {
    /** The names of the values in the spool. */
    static final String PLACE = "place";

    static final String ID = "id";
    static final String OTHER = "other";
    static final String LONGEST = "longest";
    private static final String SERVER = "server";
    private static final String PHASE = "phase";
    private static final String CURSOR = "cursor";

    private static final String HASHES = "hashes";
    private static final String SLOTS = "slots";
    private static final String COMPLETE = "complete";

    private static final int KEYS_AT_ONCE = 1_000;

    /** The number of keys between two commits to the spool. */
    private static final int COMMIT = 50_000;

    /**
     * The size in bits of the filter for digests whose shingles are wanted: 16 MB, with 7 % false positives at ten
     * million digests.
     */
    private static final int FILTER_BITS = 1 << 27;

    private final RedisPlace place;
    private final Spool spool;
    private final InstantSource clock;
    private final Keys keys;
    private long seen;
    private long other;
    private long longest;

    RedisFetch(RedisPlace place, Spool spool, InstantSource clock) {
        this.place = place;
        this.spool = spool;
        this.clock = clock;
        this.keys = new Keys(place.prefix());
    }

    /** Continues from the state of the spool to the end. */
    void run(LongConsumer progress) throws StorageException {
        if (COMPLETE.equals(spool.state(PHASE))) {
            return;
        }
        try (Jedis jedis = place.connect()) {
            begin(server(jedis));
            if (HASHES.equals(spool.state(PHASE))) {
                walk(jedis, HASHES, SLOTS, new Hashes(jedis), progress);
            }
            Filter filter = filter();
            if (!filter.isEmpty()) {
                walk(jedis, SLOTS, COMPLETE, new Slots(jedis, filter), progress);
            }
            spool.add(List.of(), List.of(), Map.of(PHASE, COMPLETE));
        } catch (JedisException e) {
            throw place.failure("read from", e);
        }
    }

    /**
     * Checks that the server process is the same. A cursor is meaningless for another process, which orders its keys
     * differently.
     */
    private void begin(String server) throws StorageException {
        if (spool.state(PHASE) != null && !server.isEmpty() && server.equals(spool.state(SERVER))) {
            other = number(OTHER);
            longest = number(LONGEST);
            return;
        }
        spool.clear();
        spool.add(List.of(), List.of(), Map.of(PLACE, place.toString(), ID,
                Long.toString(new SecureRandom().nextLong()), SERVER, server, PHASE, HASHES, CURSOR, "0"));
    }

    /** Returns the identifier of the Redis process; empty if it cannot be read. */
    private static String server(Jedis jedis) {
        try {
            return jedis.info("server").lines().filter(line -> line.startsWith("run_id:")).findFirst().orElse("");
        } catch (JedisDataException notAllowed) {
            return "";
        }
    }

    private long number(String name) throws StorageException {
        String value = spool.state(name);
        return value == null ? 0 : Long.parseLong(value);
    }

    private Filter filter() throws StorageException {
        Filter filter = new Filter();
        spool.bare(filter::add);
        return filter;
    }

    /** The processing of the keys of one phase. */
    private interface Taker {
        void take(List<byte[]> found, List<Spool.Row> rows, List<Spool.Slot> slots);
    }

    private void walk(Jedis jedis, String phase, String next, Taker taker, LongConsumer progress)
            throws StorageException {
        ScanParams params = new ScanParams().count(KEYS_AT_ONCE).match(keys.pattern());
        String start = spool.state(CURSOR);
        byte[] cursor = (start == null ? "0" : start).getBytes(StandardCharsets.US_ASCII);
        List<Spool.Row> rows = new ArrayList<>();
        List<Spool.Slot> slots = new ArrayList<>();
        long committed = seen;
        boolean more = true;
        while (more) {
            ScanResult<byte[]> result = jedis.scan(cursor, params);
            cursor = result.getCursorAsBytes();
            more = !result.isCompleteIteration();
            taker.take(result.getResult(), rows, slots);
            seen += result.getResult().size();
            progress.accept(seen);
            if (!more || seen - committed >= COMMIT) {
                spool.add(rows, slots,
                        Map.of(PHASE, more ? phase : next, CURSOR,
                                more ? new String(cursor, StandardCharsets.US_ASCII) : "0", OTHER, Long.toString(other),
                                LONGEST, Long.toString(longest)));
                rows.clear();
                slots.clear();
                committed = seen;
            }
        }
    }

    /** Stores the hashes and skips other keys. */
    private final class Hashes implements Taker {
        private final Jedis jedis;

        Hashes(Jedis jedis) {
            this.jedis = jedis;
        }

        private record Asked(Digest digest, Response<Map<byte[], byte[]>> fields, Response<Long> life) {}

        @Override
        public void take(List<byte[]> found, List<Spool.Row> rows, List<Spool.Slot> slots) {
            List<Asked> asked = new ArrayList<>();
            try (Pipeline pipeline = jedis.pipelined()) {
                for (byte[] key : found) {
                    switch (keys.read(key)) {
                        case Keys.HashKey hash -> asked
                                .add(new Asked(hash.digest(), pipeline.hgetAll(key), pipeline.pttl(key)));
                        case Keys.Other odd -> other++;
                        case Keys.SlotKey slot -> {
                        }
                        case Keys.Known known -> {
                        }
                    }
                }
                pipeline.sync();
            }
            long now = clock.millis();
            for (Asked one : asked) {
                rows.add(row(one, now));
            }
        }

        private Spool.Row row(Asked asked, long now) {
            Digest digest = asked.digest();
            Map<byte[], byte[]> fields;
            try {
                fields = asked.fields().get();
            } catch (JedisDataException wrongType) {
                return new Spool.Row(digest, false, 0, null);
            }
            if (fields.isEmpty()) {
                return new Spool.Row(digest, true, 0, null);
            }
            long life = asked.life().get();
            if (life >= 0) {
                longest = Math.max(longest, life / 1000);
            }
            return new Spool.Row(digest, false, life < 0 ? 0 : (now + life) / 1000,
                    FieldText.write(FieldText.of(fields)));
        }
    }

    /** Stores the keys of shingles whose owner is wanted. */
    private final class Slots implements Taker {
        private final Jedis jedis;
        private final Filter filter;

        Slots(Jedis jedis, Filter filter) {
            this.jedis = jedis;
            this.filter = filter;
        }

        @Override
        public void take(List<byte[]> found, List<Spool.Row> rows, List<Spool.Slot> slots) {
            List<byte[]> wanted = new ArrayList<>();
            List<Keys.SlotKey> named = new ArrayList<>();
            for (byte[] key : found) {
                if (keys.read(key) instanceof Keys.SlotKey slot) {
                    wanted.add(key);
                    named.add(slot);
                }
            }
            if (wanted.isEmpty()) {
                return;
            }
            List<byte[]> owners = jedis.mget(wanted.toArray(byte[][]::new));
            for (int i = 0; i < owners.size(); i++) {
                byte[] owner = owners.get(i);
                if (owner != null && owner.length == Digest.BYTES && filter.mayHold(owner)) {
                    slots.add(new Spool.Slot(Digest.read(owner, 0), named.get(i).slot(), named.get(i).value()));
                }
            }
        }
    }

    /** A Bloom filter over digests. Digests are random, so their own words serve as hash functions. */
    private static final class Filter {
        private final long[] bits = new long[FILTER_BITS / Long.SIZE];
        private boolean empty = true;

        void add(byte[] digest) {
            empty = false;
            ByteBuffer words = ByteBuffer.wrap(digest);
            for (int i = 0; i < 4; i++) {
                int bit = bit(words, i);
                bits[bit / Long.SIZE] |= 1L << bit;
            }
        }

        boolean mayHold(byte[] digest) {
            ByteBuffer words = ByteBuffer.wrap(digest);
            for (int i = 0; i < 4; i++) {
                int bit = bit(words, i);
                if ((bits[bit / Long.SIZE] & (1L << bit)) == 0) {
                    return false;
                }
            }
            return true;
        }

        private static int bit(ByteBuffer words, int i) {
            return words.getInt(i * Integer.BYTES) & (FILTER_BITS - 1);
        }

        boolean isEmpty() {
            return empty;
        }
    }
}
