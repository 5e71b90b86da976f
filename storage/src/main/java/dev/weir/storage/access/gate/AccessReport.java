package dev.weir.storage.access.gate;

import java.net.InetAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.weir.storage.access.RateLimit;
import dev.weir.storage.stats.ClientReport;
import dev.weir.storage.stats.GenerationCounts;
import dev.weir.wire.Epoch;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A look at who asked what (docs/reference/storage.md#counters). It has public keys only.
 *
 * @param keys by public key, those that are in use
 * @param unkeyed clients that do not encrypt
 * @param generations of the protocol
 * @param invalid datagrams that were no requests, by source: the most recent ones
 */
public record AccessReport(Map<PublicKey, Key> keys, ClientReport unkeyed, Map<Epoch, GenerationCounts> generations,
        Map<InetAddress, Long> invalid) {
    /**
     * One key.
     *
     * @param name of the customer, empty for none
     * @param email of the customer, empty for none
     * @param clients what they asked
     * @param limit and what is in its bucket, or null for none
     */
    public record Key(String name, String email, ClientReport clients, @Nullable Limit limit) {}

    /**
     * The rate limit of a key.
     *
     * @param limit as it was given
     * @param level requests in the bucket at the last request
     * @param last seconds since the epoch of the last request
     */
    public record Limit(RateLimit limit, double level, double last) {}

    /** Copies the maps, in their order. */
    public AccessReport {
        keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
        generations = Map.copyOf(generations);
        invalid = Map.copyOf(invalid);
    }
}
