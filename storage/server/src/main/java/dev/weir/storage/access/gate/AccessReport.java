package dev.weir.storage.access.gate;

import java.net.InetAddress;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.weir.storage.access.RateLimit;
import dev.weir.storage.stats.ClientReport;
import dev.weir.storage.stats.Counts;
import dev.weir.storage.stats.GenerationCounts;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of request counts by client (docs/reference/storage.md#counters). It contains no secret keys.
 *
 * @param keys the keys in use, by public key
 * @param unkeyed the counts of clients that do not encrypt
 * @param generations the counts by protocol epoch
 * @param invalid the number of malformed datagrams by source, for the most recent sources
 */
public record AccessReport(Map<PublicKey, Key> keys, ClientReport unkeyed,
        Map<ProtocolVersion, GenerationCounts> generations,
        Map<InetAddress, Long> invalid) {
    /**
     * The report of one key.
     *
     * @param name the customer's name, or empty
     * @param email the customer's email address, or empty
     * @param clients the counts of the key's clients
     * @param limit the rate limit and its bucket, or null
     */
    public record Key(String name, String email, ClientReport clients, @Nullable Limit limit) {}

    /**
     * The rate limit of a key with the state of its bucket.
     *
     * @param limit the configured limit
     * @param level the level of the bucket at the last request
     * @param last the time of the last request in seconds since the epoch
     */
    public record Limit(RateLimit limit, double level, double last) {}

    /** Copies the maps. The keys stay in order. */
    public AccessReport {
        keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
        generations = Map.copyOf(generations);
        invalid = Map.copyOf(invalid);
    }

    private Stream<ClientReport> all() {
        return Stream.concat(keys.values().stream().map(Key::clients), Stream.of(unkeyed));
    }

    /** Returns the counts by flag over all clients. */
    public SortedMap<Integer, Counts> flags() {
        SortedMap<Integer, Counts> flags = new TreeMap<>();
        all().forEach(client -> client.flags().forEach((flag, counts) -> flags.merge(flag, counts, Counts::plus)));
        return flags;
    }

    /** Returns the addresses that asked for most checks and additions. */
    public List<Map.Entry<InetAddress, Counts>> busiest(int most) {
        Map<InetAddress, Counts> addresses = new HashMap<>();
        all().forEach(client -> client.addresses()
                .forEach((address, counts) -> addresses.merge(address, counts, Counts::plus)));
        return addresses.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<InetAddress, Counts> entry) -> -entry.getValue().checked()
                        - entry.getValue().added()).thenComparing(entry -> entry.getKey().getHostAddress()))
                .limit(most).toList();
    }
}
