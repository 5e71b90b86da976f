package dev.weir.storage.transfer.redis;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.redis.Keys;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.SetParams;

/**
 * Redis in the layout of Rspamd 4.1.3 and later, with field S, which releases from 3.4 on read, too
 * (docs/reference/storage.md#redis-backend). A part of each batch is one transaction of Redis, including the progress
 * of the transfer. A write of another program to the same digests is lost if it falls into the milliseconds between
 * reading and writing them.
 */
public final class RedisTarget implements HashTarget {
    /** The number of hashes in one transaction, about 16,000 commands. */
    private static final int AT_ONCE = 500;

    private final RedisPlace place;
    private final Jedis jedis;
    private final Keys keys;
    private final InstantSource clock;
    private final long lifetime;
    private final boolean aged;
    private Merge merge = Merge.MAX;
    private long fingerprint;
    private boolean wrote;

    private RedisTarget(RedisPlace place, Jedis jedis, InstantSource clock, long lifetime, boolean aged) {
        this.place = place;
        this.jedis = jedis;
        this.keys = new Keys(place.prefix());
        this.clock = clock;
        this.lifetime = lifetime;
        this.aged = aged;
    }

    /**
     * Connects.
     *
     * @param lifetime seconds after which Redis deletes a hash: Rspamd's {@code expire}
     * @param aged whether the lifetime counts from the last change or renewal of a hash rather than from now
     */
    public static RedisTarget connect(RedisPlace place, InstantSource clock, long lifetime, boolean aged)
            throws StorageException {
        return new RedisTarget(place, place.connect(), clock, lifetime, aged);
    }

    @Override
    public String name() {
        return place.toString();
    }

    @Override
    public long begin(Plan plan) throws StorageException {
        merge = plan.merge();
        fingerprint = plan.fingerprint();
        try {
            byte[] known = jedis.get(keys.progress());
            String[] words = known == null ? new String[0] : Fields.text(known).split(" ", 3);
            boolean same = words.length == 3 && words[0].equals(merge.key())
                    && words[1].equals(Long.toString(fingerprint));
            if (words.length == 3 && !same && words[0].equals(Merge.ADD.key()) && !plan.restart()
                    && !words[2].equals(Long.toString(DONE))) {
                throw new StorageException("a transfer with --merge add into " + place + " was interrupted and is not "
                        + "this one, or its source has changed since; finish that one first, or use --restart to give "
                        + "it up (what it added stays added)");
            }
            return same && !plan.restart() ? Long.parseLong(words[2]) : HashSource.START;
        } catch (JedisException e) {
            throw place.failure("read from", e);
        } catch (NumberFormatException e) {
            throw new StorageException("the key " + Fields.text(keys.progress()) + " of " + place
                    + " is not Weir's; remove it or use another prefix", e);
        }
    }

    private byte[] progress(long position) {
        return Fields.bytes(merge.key() + " " + fingerprint + " " + position);
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        Written written = Written.NONE;
        try {
            for (int from = 0; from < items.size(); from += AT_ONCE) {
                written = written.plus(
                        part(items.subList(from, Math.min(items.size(), from + AT_ONCE)), omissions));
            }
        } catch (JedisException e) {
            throw place.failure("write to", e);
        }
        wrote |= written.added() + written.merged() > 0;
        return written;
    }

    private Written part(List<Item> items, Omissions omissions) {
        List<Map<byte[], byte[]>> there = existing(items);
        long added = 0;
        long merged = 0;
        // A digest that occurs twice in one part must be merged with itself.
        Map<Digest, StoredHash> inPart = new HashMap<>();
        try (Transaction transaction = jedis.multi()) {
            for (int i = 0; i < items.size(); i++) {
                StoredHash arriving = items.get(i).hash();
                StoredHash known = inPart.get(arriving.digest());
                if (known == null) {
                    known = read(arriving, there.get(i));
                }
                StoredHash result = known == null ? arriving : merge.merge(known, arriving);
                if (known != null && sameForRedis(known, result)) {
                    continue;
                }
                put(transaction, result, omissions);
                inPart.put(result.digest(), result);
                if (known == null) {
                    added++;
                } else {
                    merged++;
                }
            }
            if (added > 0) {
                transaction.incrBy(keys.count(), added);
            }
            transaction.set(keys.progress(), progress(items.getLast().position()));
            for (Object reply : transaction.exec()) {
                if (reply instanceof JedisException failure) {
                    throw failure;
                }
            }
        }
        return new Written(added, merged, items.size() - added - merged);
    }

    private List<Map<byte[], byte[]>> existing(List<Item> items) {
        List<Response<Map<byte[], byte[]>>> asked = new ArrayList<>();
        try (Pipeline pipeline = jedis.pipelined()) {
            for (Item item : items) {
                asked.add(pipeline.hgetAll(keys.hash(item.hash().digest())));
            }
            pipeline.sync();
        }
        return asked.stream().map(Response::get).toList();
    }

    private static @Nullable StoredHash read(StoredHash arriving,
            Map<byte[], byte[]> fields) {
        if (fields.isEmpty()) {
            return null;
        }
        // An unreadable hash there is overwritten, so nothing is counted.
        return Fields.read(arriving.digest(), FieldText.of(fields), null, 0, new Omissions());
    }

    /** Compares without the times of single flags, which Redis does not store. */
    private static boolean sameForRedis(StoredHash known, StoredHash result) {
        List<FlagValue> before = known.flags();
        List<FlagValue> after = result.flags();
        boolean same = before.size() == after.size()
                && Objects.equals(known.signature(), withoutSides(result.signature()));
        for (int i = 0; same && i < after.size(); i++) {
            same = before.get(i).flag() == after.get(i).flag() && before.get(i).value() == after.get(i).value();
        }
        return same;
    }

    private static @Nullable Signature withoutSides(@Nullable Signature signature) {
        return signature == null ? null : signature.withSides(null);
    }

    // The client reads the map as a list of pairs.
    @SuppressWarnings("ArrayAsKeyOfSetOrMap")
    private void put(Transaction transaction, StoredHash hash, Omissions omissions) {
        byte[] key = keys.hash(hash.digest());
        Map<byte[], byte[]> fields = new HashMap<>();
        Fields.write(hash, omissions).forEach((name, value) -> fields.put(Fields.bytes(name), Fields.bytes(value)));
        long life = life(hash);
        transaction.del(key);
        transaction.hset(key, fields);
        transaction.expire(key, life);
        Signature signature = hash.signature();
        for (int i = 0; signature != null && i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                transaction.set(keys.slot(i, signature.value(i)), hash.digest().toBytes(),
                        SetParams.setParams().ex(life));
            }
        }
    }

    private long life(StoredHash hash) {
        if (!aged) {
            return lifetime;
        }
        long touched = hash.flags().stream().mapToLong(FlagValue::time).reduce(hash.renewed(), Math::max);
        return Math.clamp(lifetime - (clock.instant().getEpochSecond() - touched), 1, lifetime);
    }

    @Override
    public void finish() throws StorageException {
        try {
            if (wrote) {
                jedis.incr(keys.local());
            }
            if (merge == Merge.ADD) {
                jedis.set(keys.progress(), progress(DONE));
            } else {
                jedis.del(keys.progress());
            }
        } catch (JedisException e) {
            throw place.failure("write to", e);
        }
    }

    @Override
    public void close() {
        jedis.close();
    }
}
