package dev.weir.storage.shared;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.redis.Keys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/**
 * The thread that asks Redis about checks that found nothing, because another program may have written there what
 * they look for. It looks for the digest and for the owners of the shingles in Rspamd's keys, and has the thread that
 * follows the stream read what it found.
 */
final class MissAsker implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(MissAsker.class);

    /** With up to 33 keys each. */
    private static final int MOST = 100;
    private static final long IDLE_MILLIS = 10;
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final long PAUSE = 1_000;

    /** The same digest is asked for once in this time. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int REMEMBERED = 10_000;

    private final SharedNode node;
    private final MissedChecks missed;
    private final StreamTail tail;
    private final Keys keys;
    private final LongAdder asked = new LongAdder();
    private final Map<Digest, Long> recent = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Digest, Long> eldest) {
            return size() > REMEMBERED;
        }
    };
    private boolean failing;

    MissAsker(SharedNode node, MissedChecks missed, StreamTail tail) {
        this.node = node;
        this.missed = missed;
        this.tail = tail;
        this.keys = node.layout().keys(0);
    }

    /** Returns the number of checks that were asked about. */
    long asked() {
        return asked.sum();
    }

    @Override
    public void run() {
        while (!node.isStopping()) {
            try (Jedis reader = node.reader(0, WAIT)) {
                ask(reader);
            } catch (StorageException | RuntimeException e) {
                StorageException failure = RedisConnections.failure(
                        "ask " + node.settings() + " about checks without a match", e);
                if (!failing) {
                    LOG.warn("{}", failure.getMessage());
                }
                failing = true;
                node.pause(PAUSE, true);
            }
        }
    }

    private void ask(Jedis reader) {
        while (!node.isStopping()) {
            List<MissedChecks.Missed> some = missed.take(MOST);
            if (some.isEmpty()) {
                node.pause(IDLE_MILLIS, true);
                continue;
            }
            List<MissedChecks.Missed> fresh = some.stream().filter(one -> isNew(one.digest())).toList();
            if (!fresh.isEmpty()) {
                ask(reader, fresh);
                asked.add(fresh.size());
                failing = false;
            }
        }
    }

    private boolean isNew(Digest digest) {
        long now = System.nanoTime();
        Long last = recent.get(digest);
        if (last != null && now - last < AGAIN_NANOS) {
            return false;
        }
        recent.remove(digest);
        recent.put(digest, now);
        return true;
    }

    private void ask(Jedis reader, List<MissedChecks.Missed> checks) {
        List<Response<Boolean>> there = new ArrayList<>();
        List<@Nullable Response<List<byte[]>>> owners = new ArrayList<>();
        try (Pipeline pipeline = reader.pipelined()) {
            for (MissedChecks.Missed check : checks) {
                there.add(pipeline.exists(keys.hash(check.digest())));
                Signature shingles = check.shingles();
                owners.add(shingles == null ? null : pipeline.mget(names(shingles)));
            }
            pipeline.sync();
        }
        for (int i = 0; i < checks.size(); i++) {
            MissedChecks.Missed check = checks.get(i);
            Response<List<byte[]>> found = owners.get(i);
            Map<Digest, Integer> slots = found == null ? Map.of() : slots(found.get());
            if (there.get(i).get()) {
                tell(check.digest(), check.shingles(), slots.getOrDefault(check.digest(), 0));
            }
            slots.forEach((owner, mask) -> {
                if (Integer.bitCount(mask) >= check.threshold() && !owner.equals(check.digest())) {
                    tell(owner, check.shingles(), mask);
                }
            });
        }
    }

    private byte[][] names(Signature shingles) {
        byte[][] names = new byte[Signature.SLOTS][];
        for (int slot = 0; slot < names.length; slot++) {
            names[slot] = keys.slot(slot, shingles.value(slot));
        }
        return names;
    }

    /** Returns the slots of each owner. */
    private static Map<Digest, Integer> slots(List<byte[]> owners) {
        Map<Digest, Integer> masks = new HashMap<>();
        for (int slot = 0; slot < owners.size(); slot++) {
            byte[] owner = owners.get(slot);
            if (owner != null && owner.length == Digest.BYTES) {
                masks.merge(Digest.of(owner), 1 << slot, (a, b) -> a | b);
            }
        }
        return masks;
    }

    private void tell(Digest digest, @Nullable Signature shingles, int mask) {
        Signature owned = null;
        if (shingles != null && mask != 0) {
            long[] values = new long[Signature.SLOTS];
            shingles.copyTo(values, 0);
            owned = Signature.partial(values, 0, mask);
        }
        tail.found(new StreamTail.Found(digest, owned));
    }
}
