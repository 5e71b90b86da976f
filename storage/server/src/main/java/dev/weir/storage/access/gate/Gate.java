package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.weir.model.KeyedHash;
import dev.weir.model.Network;
import dev.weir.storage.StorageException;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.NetworkLimit;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import dev.weir.storage.stats.ClientStatistics;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.key.ServerKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holder of a running storage's access rules and of the state that survives a change of rules: rate limit buckets
 * and the statistics of keys. Request threads read {@link #rules} once per request; {@link #reconfigure} replaces the
 * rules atomically.
 */
public final class Gate {
    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

    /** The most removed keys whose buckets and counts are kept in case the keys return. */
    private static final int KEPT_KEYS = 1_000;

    private final Statistics statistics;
    private final InstantSource clock;
    private final KeyedHash keyed;
    private final Overruns overruns = new Overruns();
    private final DynamicBlocks blocks = new DynamicBlocks();
    private final SkipList skips = new SkipList();

    /** State by public key; the keys removed longest ago come first. */
    private final Map<PublicKey, KeyState> states = new LinkedHashMap<>();
    private volatile Rules rules;

    /**
     * Creates a gate with its initial rules.
     *
     * @param keyed a hash whose key clients do not know
     * @throws IllegalArgumentException if two keys conflict; the message is for the operator
     */
    public Gate(Access access, Statistics statistics, InstantSource clock, KeyedHash keyed) {
        this.statistics = statistics;
        this.clock = clock;
        this.keyed = keyed;
        this.rules = compile(access, null);
    }

    /** Returns the rules in force. */
    public Rules rules() {
        return rules;
    }

    /** Returns the networks blocked by scripts, which survive a change of rules. */
    public DynamicBlocks blocks() {
        return blocks;
    }

    /** Returns the digests that the operator skips beside those of the configuration. */
    public SkipList skips() {
        return skips;
    }

    /**
     * A network that is refused at present.
     *
     * @param end the end in milliseconds since 1970; {@link Long#MAX_VALUE} for none
     * @param reason why it is refused
     */
    public record Refused(Network network, long end, String reason) {}

    /** Returns the networks over their rate limit and those that a script blocked. */
    public List<Refused> refused() {
        List<Refused> all = new ArrayList<>(blocks.list());
        Rules now = rules;
        NetworkLimit limit = now.access().limits().network();
        NetworkBuckets buckets = now.buckets();
        long millis = clock.millis();
        if (limit != null && buckets != null) {
            buckets.forEach(bucket -> {
                long end = bucket.created() + limit.ttl().toMillis();
                if (Double.isNaN(bucket.level()) && end > millis) {
                    all.add(new Refused(LimitFile.entry(bucket, limit).network(), end, "over the rate limit"));
                }
            });
        }
        return all;
    }

    /** Ends the refusal of a network before its time. Returns whether there was one. */
    public boolean pardon(Network network) {
        NetworkBuckets buckets = rules.buckets();
        boolean over = buckets != null && buckets.remove(network.high(), network.low());
        boolean blocked = blocks.unblock(network);
        return blocked || over;
    }

    /**
     * Replaces the rules. Requests in progress finish under the old rules. Buckets and counts stay.
     *
     * @throws IllegalArgumentException if two keys conflict; the old rules then stay in force
     */
    public synchronized void reconfigure(Access access) {
        rules = compile(access, rules);
    }

    private Rules compile(Access access, @Nullable Rules before) {
        ServerKeys keys = ServerKeys.of(access.keys().stream().map(ServerKey::pair).toList(),
                access.dynamicKeys().stream().map(ServerKey::pair).toList());
        List<KeyAccess> keyRules = new ArrayList<>();
        Set<Long> taken = new HashSet<>();
        for (List<ServerKey> list : List.of(access.keys(), access.dynamicKeys())) {
            for (ServerKey key : list) {
                PublicKey name = key.pair().publicKey();
                if (taken.add(name.wireId())) {
                    boolean updatesAllowed = access.updates().keyIds().contains(Base32.encode(name.id()));
                    keyRules.add(new KeyAccess(key, access, updatesAllowed, state(name)));
                }
            }
        }
        forgetOldKeys(keyRules);
        return new Rules(access, keys, keyRules, buckets(access.limits().network(), before), overruns,
                blocks, skips);
    }

    private KeyState state(PublicKey key) {
        KeyState state = states.remove(key);
        if (state == null) {
            state = new KeyState(new Bucket(), statistics.newClients());
        }
        states.put(key, state);
        return state;
    }

    private void forgetOldKeys(Collection<KeyAccess> used) {
        // The keys in use were just moved to the end.
        Iterator<KeyState> oldest = states.values().iterator();
        for (int left = states.size() - used.size(); left > KEPT_KEYS; left--) {
            statistics.forget(oldest.next().statistics());
            oldest.remove();
        }
    }

    private @Nullable NetworkBuckets buckets(@Nullable NetworkLimit limit, @Nullable Rules before) {
        if (limit == null) {
            return null;
        }
        NetworkBuckets old = before == null ? null : before.buckets();
        NetworkLimit oldLimit = before == null ? null : before.access().limits().network();
        NetworkBuckets fresh = new NetworkBuckets(limit.buckets(), keyed);
        if (old == null || oldLimit == null || oldLimit.prefix() != limit.prefix()) {
            return fresh;
        }
        if (old.capacity() == fresh.capacity()) {
            return old;
        }
        old.forEach(fresh::restore);
        return fresh;
    }

    // ---- persistence ----

    /** The format of the file of buckets. */
    public static final StateFormat LIMITS = LimitFile.FORMAT;

    /** Restores the buckets that {@link #save} wrote. A damaged file is kept aside, and counts as empty. */
    public synchronized void restore(StateFile file) {
        LimitFile.Content content;
        try {
            content = LimitFile.read(file);
        } catch (StorageException e) {
            LOG.warn("all networks and keys start with empty buckets: {}", e.getMessage());
            return;
        }
        NetworkLimit limit = rules.access().limits().network();
        NetworkBuckets buckets = rules.buckets();
        if (limit != null && buckets != null) {
            content.networks().stream()
                    .filter(entry -> entry.equals(LimitFile.entry(entry.bucket(), limit)))
                    .forEach(entry -> buckets.restore(entry.bucket()));
        }
        content.keys().forEach((key, state) -> {
            KeyState here = states.get(key);
            if (here != null) {
                here.bucket().restore(state);
            }
        });
    }

    /**
     * Writes the buckets to a file atomically. Does nothing if there are no buckets and the file does not exist.
     *
     * @throws IOException if the file cannot be written
     */
    public void save(StateFile file) throws IOException {
        LimitFile.Content content = content();
        boolean empty = content.networks().isEmpty() && content.keys().isEmpty();
        if (!empty || Files.exists(file.place())) {
            LimitFile.write(file, content);
        }
    }

    private LimitFile.Content content() {
        Rules now = rules;
        List<LimitFile.NetworkEntry> networks = new ArrayList<>();
        NetworkLimit limit = now.access().limits().network();
        NetworkBuckets buckets = now.buckets();
        if (limit != null && buckets != null) {
            buckets.forEach(entry -> networks.add(LimitFile.entry(entry, limit)));
        }
        Map<PublicKey, Bucket.State> keys = new LinkedHashMap<>();
        for (KeyAccess key : now.allKeys()) {
            if (key.rules().limit() != null) {
                keys.put(key.publicKey(), key.bucket().state());
            }
        }
        return new LimitFile.Content(networks, keys);
    }

    // ---- statistics ----

    /** Takes the hourly samples that are due. One thread must call this periodically. */
    public void sample() {
        List<ClientStatistics> keys = rules.allKeys().stream().map(KeyAccess::statistics).toList();
        statistics.sample(keys, clock.millis());
    }

    /** Returns a snapshot of all counters. */
    public AccessReport report() {
        Map<PublicKey, AccessReport.Key> keys = new LinkedHashMap<>();
        for (KeyAccess key : rules.allKeys()) {
            KeyRules of = key.rules();
            RateLimit limit = of.limit();
            Bucket.State bucket = key.bucket().state();
            keys.put(key.publicKey(), new AccessReport.Key(of.name(), of.email(), key.statistics().report(),
                    limit == null ? null : new AccessReport.Limit(limit, bucket.level(), bucket.last() / 1000.0)));
        }
        return new AccessReport(keys, statistics.unkeyed().report(), statistics.generations(),
                statistics.invalidByAddress());
    }
}
