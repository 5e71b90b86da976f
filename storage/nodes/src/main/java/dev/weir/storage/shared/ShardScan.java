package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * A comparison of a shard with the index: every hash of Redis, then every hash that only the index has.
 *
 * <p>The states of some digests come with the entry of the stream at which they hold. The scan uses the stream up to
 * that entry, and the states then, so that nothing older replaces anything newer.
 */
final class ShardScan {
    private static final Logger LOG = LoggerFactory.getLogger(ShardScan.class);

    private static final int KEYS_AT_ONCE = 1_000;
    private static final int STATES_AT_ONCE = 200;
    private static final int PORTION = 50_000;

    /** Hashes without a list of shingles whose shingles are looked for in one pass, with about 400 bytes each. */
    private static final int MAX_BARE = 1_000_000;

    private final SharedNode node;
    private final StreamTail tail;
    private final int shard;
    private final ShardConnection connection;
    private final KeyLayout layout;
    private final Set<Digest> waiting = new LinkedHashSet<>();
    private final Map<Digest, Shingles> bare = new HashMap<>();

    /** What Redis says was deleted. It goes at the end, if so much may go. */
    private final Set<Digest> removed = new LinkedHashSet<>();
    private long seen;
    private long bareSkipped;

    /** Shingles that were found in keys of their own. */
    private static final class Shingles {
        final long[] values = new long[Signature.SLOTS];
        int mask;
    }

    ShardScan(SharedNode node, StreamTail tail, int shard, ShardConnection connection) {
        this.node = node;
        this.tail = tail;
        this.shard = shard;
        this.connection = connection;
        this.layout = node.layout();
    }

    /** Compares everything. */
    void run() throws StorageException {
        long begun = System.nanoTime();
        try (Jedis reader = node.reader(shard, Duration.ofSeconds(10))) {
            keys(reader, layout.keys(shard).pattern(), key -> layout.digest(shard, key).ifPresent(this::take));
            flush();
            if (!bare.isEmpty()) {
                findShingles(reader);
            }
            compareOthers(reader);
        }
        tail.remove(connection, List.copyOf(removed));
        if (bareSkipped > 0) {
            LOG.warn("shard {}: {} hashes of an older Rspamd have no shingles here until the next comparison", shard,
                    bareSkipped);
        }
        LOG.info("shard {}: compared {} hashes of the shared Redis with the index in {} ms", shard, seen,
                (System.nanoTime() - begun) / 1_000_000);
    }

    private void keys(Jedis reader, byte[] pattern, Consumer<byte[]> target) throws StorageException {
        byte[] cursor = ScanParams.SCAN_POINTER_START_BINARY;
        do {
            ScanResult<byte[]> page = reader.scan(cursor, new ScanParams().match(pattern).count(KEYS_AT_ONCE));
            page.getResult().forEach(target);
            tail.keepTurn(connection);
            if (waiting.size() >= STATES_AT_ONCE) {
                flush();
            }
            if (node.isStopping()) {
                throw new StorageException("the node stops");
            }
            cursor = page.getCursorAsBytes();
        } while (!"0".equals(RedisConnections.text(cursor)));
    }

    private void take(Digest digest) {
        waiting.add(digest);
    }

    private void flush() throws StorageException {
        List<Digest> all = new ArrayList<>(waiting);
        waiting.clear();
        for (int from = 0; from < all.size(); from += STATES_AT_ONCE) {
            compare(all.subList(from, Math.min(all.size(), from + STATES_AT_ONCE)));
        }
    }

    private void compare(List<Digest> digests) throws StorageException {
        tail.keepTurn(connection);
        if (!tail.compare(connection, digests, this::lacking, removed)) {
            throw new StorageException("another node puts back what the shared Redis has lost");
        }
    }

    /** Counts a hash, and returns its shingles if only keys of their own tell them and they are known by now. */
    private @Nullable Signature lacking(Digest digest, StoredHash hash) {
        seen++;
        if (hash.signature() != null || !(layout instanceof RspamdLayout)) {
            return null;
        }
        Shingles found = bare.get(digest);
        if (found != null) {
            return found.mask == 0 ? null : Signature.partial(found.values, 0, found.mask);
        }
        if (bare.size() < MAX_BARE) {
            bare.put(digest, new Shingles());
        } else {
            bareSkipped++;
        }
        return null;
    }

    /** Rspamd before 4.1.3 does not list the shingles of a hash, so the keys of all shingles tell. */
    private void findShingles(Jedis reader) throws StorageException {
        List<byte[]> names = new ArrayList<>();
        Keys keys = layout.keys(shard);
        keys(reader, keys.pattern(), key -> {
            if (keys.read(key) instanceof Keys.SlotKey) {
                names.add(key);
                if (names.size() >= KEYS_AT_ONCE) {
                    owners(reader, keys, names);
                }
            }
        });
        owners(reader, keys, names);
        for (Map.Entry<Digest, Shingles> entry : bare.entrySet()) {
            if (entry.getValue().mask != 0) {
                waiting.add(entry.getKey());
            }
        }
        seen -= waiting.size();
        flush();
    }

    private void owners(Jedis reader, Keys keys, List<byte[]> names) {
        if (names.isEmpty()) {
            return;
        }
        List<byte[]> owners = reader.mget(names.toArray(byte[][]::new));
        for (int i = 0; i < names.size(); i++) {
            byte[] owner = owners.get(i);
            if (owner != null && owner.length == Digest.BYTES
                    && keys.read(names.get(i)) instanceof Keys.SlotKey(int slot, long value)) {
                Shingles found = bare.get(Digest.of(owner));
                if (found != null) {
                    found.values[slot] = value;
                    found.mask |= 1 << slot;
                }
            }
        }
        names.clear();
    }

    /** Compares what only the index has: Redis has lost it, or another node deleted it. */
    private void compareOthers(Jedis reader) throws StorageException {
        int[] from = {0};
        do {
            tail.keepTurn(connection);
            List<Update.Expire> found = new ArrayList<>();
            node.await(node.sink().change(index -> {
                from[0] = index.collectExpired(from[0], PORTION, Long.MAX_VALUE, found);
                return List.of();
            }));
            List<Digest> here = found.stream().map(Update.Expire::digest).distinct()
                    .filter(digest -> layout.shard(digest) == shard).toList();
            for (int at = 0; at < here.size(); at += KEYS_AT_ONCE) {
                List<Digest> some = here.subList(at, Math.min(here.size(), at + KEYS_AT_ONCE));
                List<Boolean> missing = missing(reader, some);
                for (int i = 0; i < some.size(); i++) {
                    if (missing.get(i)) {
                        waiting.add(some.get(i));
                    }
                }
            }
            flush();
        } while (from[0] != 0);
    }

    private List<Boolean> missing(Jedis reader, List<Digest> digests) {
        List<Response<Boolean>> asked = new ArrayList<>();
        try (Pipeline pipeline = reader.pipelined()) {
            digests.forEach(digest -> asked.add(pipeline.exists(layout.keys(shard).hash(digest))));
            pipeline.sync();
        }
        return asked.stream().map(there -> !there.get()).toList();
    }
}
