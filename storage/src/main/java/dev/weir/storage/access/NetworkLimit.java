package dev.weir.storage.access;

import java.time.Duration;

import dev.weir.model.Networks;

/**
 * The rate limit of each network (docs/reference/storage.md#limits-of-networks).
 *
 * @param limit of one network
 * @param exempt networks without a limit; besides them the addresses of this machine, link-local ones and Unix sockets
 *            have none
 * @param buckets networks that are remembered, 1..{@value #MAX_BUCKETS}; of more the oldest are forgotten first
 * @param prefix bits of an IPv4 address that make a network, 0..32; four times as many of an IPv6 address, but 64 at
 *            least and 128 at most
 * @param ttl how long a network that went over the limit is refused, counted from when it was first seen; more than 0
 */
public record NetworkLimit(RateLimit limit, Networks exempt, int buckets, int prefix, Duration ttl) {
    /** The most networks that can be remembered, some 50 bytes each. */
    public static final int MAX_BUCKETS = 1 << 20;
    /** Networks that are remembered unless told otherwise. */
    public static final int DEFAULT_BUCKETS = 2_000;
    /** Bits that make a network unless told otherwise. */
    public static final int DEFAULT_PREFIX = 24;
    /** How long a network is refused unless told otherwise. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(1);

    private static final int V4_BITS = 32;
    private static final int V6_LEAST = 64;
    private static final int V6_BITS = 128;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException with a sentence for the operator
     */
    public NetworkLimit {
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException(buckets + " networks with a limit: between 1 and " + MAX_BUCKETS);
        }
        if (prefix < 0 || prefix > V4_BITS) {
            throw new IllegalArgumentException("networks of " + prefix + " bits: between 0 and " + V4_BITS);
        }
        if (ttl.toMillis() <= 0) {
            throw new IllegalArgumentException("a network over its limit is refused for " + ttl + ": more than 0");
        }
    }

    /** Returns a limit with Rspamd's defaults. */
    public static NetworkLimit of(RateLimit limit) {
        return new NetworkLimit(limit, Networks.NONE, DEFAULT_BUCKETS, DEFAULT_PREFIX, DEFAULT_TTL);
    }

    /** Returns a copy with networks that have no limit. */
    public NetworkLimit withExempt(Networks networks) {
        return new NetworkLimit(limit, networks, buckets, prefix, ttl);
    }

    /** Bits of the 128 of an address, an IPv4 address being in its mapped form, that make a network. */
    public int bits(boolean v4) {
        return v4 ? V6_BITS - V4_BITS + prefix : Math.min(Math.max(4 * prefix, V6_LEAST), V6_BITS);
    }
}
