package dev.weir.storage.shared;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LoggedUpdate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells Redis again what this node deleted. If Redis went back and another node put back its states first, the deletes
 * count as sent, but Redis has the hashes again, because the states of that node have no trace of a delete. The log of
 * this node has one, with its time. What was learned after it stays, and so does what this node holds again.
 */
final class DeletesAgain {
    private static final Logger LOG = LoggerFactory.getLogger(DeletesAgain.class);
    private static final int AT_ONCE = 50;

    /** So many revisions of the log are read together. */
    private static final int TOGETHER = 100_000;

    /** As the scripts name all flags. */
    private static final String ALL = "*";

    private final SharedNode node;
    private final StreamTail tail;
    private final int shard;
    private final Lookup lookup = new Lookup();

    DeletesAgain(SharedNode node, StreamTail tail, int shard) {
        this.node = node;
        this.tail = tail;
        this.shard = shard;
    }

    /**
     * Offers the deletes of the log.
     *
     * @param after the last revision before them
     * @param until the last revision that Redis counts as sent
     * @return false if Redis does not consider all of them now
     */
    boolean offer(ShardConnection connection, long after, long until) throws StorageException {
        if (!node.mayOffer()) {
            return true;
        }
        for (long from = after; from < until; from += TOGETHER) {
            tail.keepTurn(connection);
            Map<Digest, Map<String, Long>> times = new LinkedHashMap<>();
            try {
                node.deletes(shard, from, Math.min(until, from + TOGETHER), one -> add(times, one));
            } catch (StorageException e) {
                // The other nodes must not wait for a log that stays unreadable.
                LOG.warn("shard {}: hashes that this node deleted may come back, because its log cannot be read: {}",
                        shard, e.getMessage());
            }
            List<Digest> digests = List.copyOf(times.keySet());
            for (int i = 0; i < digests.size(); i += AT_ONCE) {
                Map<Digest, Map<String, Long>> some = new LinkedHashMap<>();
                for (Digest digest : digests.subList(i, Math.min(digests.size(), i + AT_ONCE))) {
                    some.put(digest, Objects.requireNonNull(times.get(digest)));
                }
                tail.keepTurn(connection);
                // What this node offers makes entries, too, and an offer that is too far behind is not considered.
                long seen = tail.catchUp(connection);
                leaveOutHeld(some);
                if (!send(connection, some, seen)) {
                    return false;
                }
            }
        }
        return true;
    }

    private void add(Map<Digest, Map<String, Long>> times, LoggedUpdate logged) {
        long time = logged.millis() / 1_000 - node.secondsAhead() + node.layout().slackSeconds();
        String flag = logged.update() instanceof Update.Delete delete ? Integer.toString(delete.flag()) : ALL;
        if (time > 0) {
            times.computeIfAbsent(logged.update().digest(), _ -> new TreeMap<>()).merge(flag, time, Math::max);
        }
    }

    /** Leaves out what was learned since, as far as this node knows. */
    private void leaveOutHeld(Map<Digest, Map<String, Long>> times) throws StorageException {
        node.await(node.sink().change(index -> {
            times.forEach((digest, flags) -> {
                HashIndex.KnownHash known = index.known(digest, lookup);
                if (node.pending().isUnknown(digest)) {
                    flags.clear();
                } else if (known != null) {
                    flags.remove(ALL);
                    for (FlagValue flag : known.flags()) {
                        flags.remove(Integer.toString(flag.flag()));
                    }
                }
            });
            return List.of();
        }));
        times.values().removeIf(Map::isEmpty);
    }

    private boolean send(ShardConnection connection, Map<Digest, Map<String, Long>> times, long seen)
            throws StorageException {
        List<ShardConnection.Offered> all = new ArrayList<>();
        times.forEach((digest, flags) -> {
            StringJoiner text = new StringJoiner(",", "x", "");
            flags.forEach((flag, time) -> text.add(flag + ":" + time));
            all.add(new ShardConnection.Offered(digest, text.toString().getBytes(StandardCharsets.US_ASCII)));
        });
        return all.isEmpty() || connection.offer(all, seen, ShardConnection.Merge.MISSING, node.settings().history())
                .considered().size() == all.size();
    }
}
