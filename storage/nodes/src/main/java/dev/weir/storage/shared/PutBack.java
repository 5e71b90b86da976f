package dev.weir.storage.shared;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;

/**
 * Offers Redis what this node holds and Redis lacks. Absence is not a delete: Redis may have been emptied, may have
 * gone back, evict hashes or have a wrong clock. A node changes what it holds only after Redis has considered the offer
 * (docs/operate/nodes.md#what-redis-lost-comes-back).
 */
final class PutBack {
    /** So many states make an entry of about 30 KB. */
    private static final int AT_ONCE = 50;

    /** A hash that ends within so many seconds is left to its age. */
    private static final long LAST_SECONDS = 120;

    private final SharedNode node;
    private final Lookup lookup = new Lookup();

    PutBack(SharedNode node) {
        this.node = node;
    }

    /**
     * What this node holds of some digests.
     *
     * @param revision the last update of this node that Redis has
     * @param unsure gets the digests with updates up to there that no state has brought yet; they are left out
     */
    Map<Digest, PendingUpdates.Held> held(List<Digest> digests, long revision, Set<Digest> unsure)
            throws StorageException {
        Map<Digest, PendingUpdates.Held> found = new HashMap<>();
        node.await(node.sink().change(index -> {
            for (Digest digest : digests) {
                if (node.pending().isWaiting(digest, revision)) {
                    unsure.add(digest);
                    continue;
                }
                PendingUpdates.Held held = node.pending().held(digest, index.known(digest, lookup));
                if (held != null) {
                    found.put(digest, held);
                }
            }
            return List.of();
        }));
        return found;
    }

    /**
     * Returns what of a hash Redis lacks.
     *
     * @param state the state of Redis; null for none
     * @param lost whether Redis has lost changes
     * @param now the time of Redis in seconds since 1970
     * @return null if it lacks nothing
     */
    @Nullable
    StoredHash lacking(PendingUpdates.Held held, @Nullable StoredHash state, boolean lost, long now) {
        List<FlagValue> flags = new ArrayList<>();
        long renewed = held.hash().renewed();
        long slack = node.layout().slackSeconds();
        long last = state == null ? -1 : touched(state);
        for (FlagValue flag : held.hash().flags()) {
            FlagValue there = state == null ? null : find(state, flag.flag());
            boolean lacks;
            if (there == null) {
                // In the layout of Rspamd, the later write of the hash decides which flags it has.
                lacks = state == null || node.layout().keepsSignatures()
                        || Math.max(flag.time(), renewed) > last + slack;
            } else {
                lacks = lost && flag.value() != there.value();
            }
            if (lacks && !ends(flag.time(), renewed, now)) {
                flags.add(flag);
            }
        }
        return flags.isEmpty() ? null : new StoredHash(held.hash().digest(), flags, null, renewed);
    }

    /** Returns whether a state is that of a hash that does not end soon. */
    boolean lives(Digest digest, byte[] state, long now) {
        StoredHash hash = node.layout().decode(digest, state, node.expireSeconds());
        return hash != null && !ends(touched(hash), 0, now);
    }

    private static long touched(StoredHash hash) {
        return Math.max(hash.renewed(), hash.flags().stream().mapToLong(FlagValue::time).max().orElse(0));
    }

    private static @Nullable FlagValue find(StoredHash hash, int number) {
        return hash.flags().stream().filter(flag -> flag.flag() == number).findFirst().orElse(null);
    }

    /** Returns whether a flag has ended by the clocks of this node and of Redis, or does so soon. */
    private boolean ends(long time, long renewed, long now) {
        long expire = node.expireSeconds();
        return expire > 0 && Math.max(time, renewed) + expire <= Math.min(node.seconds(), now)
                + Math.min(LAST_SECONDS, expire / 10);
    }

    /**
     * Offers hashes.
     *
     * @param seen the last entry of the stream that they have
     * @param lost whether Redis has lost changes
     */
    ShardConnection.Considered offer(ShardConnection connection, Map<Digest, StoredHash> hashes, long seen,
            Set<Digest> certain, boolean lost) throws StorageException {
        ShardConnection.Considered made = new ShardConnection.Considered();
        if (hashes.isEmpty() || !node.mayOffer()) {
            return made;
        }
        Map<Digest, Signature> signatures = node.signatures(hashes.keySet());
        Map<ShardConnection.Merge, List<ShardConnection.Offered>> offers = new LinkedHashMap<>();
        for (StoredHash hash : hashes.values()) {
            Digest digest = hash.digest();
            StoredHash whole = new StoredHash(digest, hash.flags(), signatures.get(digest), hash.renewed());
            ShardConnection.Merge merge = !lost
                    ? ShardConnection.Merge.MISSING
                    : certain.contains(digest) ? ShardConnection.Merge.LATER : ShardConnection.Merge.GREATER;
            offers.computeIfAbsent(merge, _ -> new ArrayList<>())
                    .add(new ShardConnection.Offered(digest, node.layout().encode(whole, node.expireSeconds())));
        }
        for (Map.Entry<ShardConnection.Merge, List<ShardConnection.Offered>> entry : offers.entrySet()) {
            made.add(offer(connection, entry.getValue(), seen, entry.getKey()));
        }
        return made;
    }

    /** Offers states that keys had which are gone, and returns those that Redis has considered. */
    Set<Digest> offer(ShardConnection connection, List<ShardConnection.Offered> states, long seen)
            throws StorageException {
        return offer(connection, states, seen, ShardConnection.Merge.MISSING).considered();
    }

    private ShardConnection.Considered offer(ShardConnection connection, List<ShardConnection.Offered> all, long seen,
            ShardConnection.Merge merge) throws StorageException {
        ShardConnection.Considered made = new ShardConnection.Considered();
        for (int from = 0; from < all.size(); from += AT_ONCE) {
            List<ShardConnection.Offered> some = all.subList(from, Math.min(all.size(), from + AT_ONCE));
            ShardConnection.Considered now = connection.offer(some, seen, merge, node.settings().history());
            made.add(now);
            node.countPutBack(now.considered().size());
        }
        return made;
    }
}
