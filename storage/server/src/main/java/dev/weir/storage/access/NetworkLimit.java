package dev.weir.storage.access;

import java.time.Duration;

import dev.weir.model.Networks;

/**
 * The rate limit of each network (docs/reference/storage.md#limits-of-networks).
 *
 * @param limit the limit of one network
 * @param exempt networks without a limit, in addition to loopback and link-local addresses and Unix-domain sockets
 * @param buckets the number of networks to remember, 1..{@value #MAX_BUCKETS}; the oldest are evicted first
 * @param prefix the prefix length of an IPv4 network, 0..32; an IPv6 network has four times that length, but at least
 *            64 and at most 128
 * @param ttl how long to refuse a network over the limit, counted from its first request; more than 0
 */
public record NetworkLimit(RateLimit limit, Networks exempt, int buckets, int prefix, Duration ttl) {
    /** The maximum number of networks to remember, about 50 bytes each. */
    public static final int MAX_BUCKETS = 1 << 20;
    /** The default number of networks to remember. */
    public static final int DEFAULT_BUCKETS = 2_000;
    /** The default prefix length of an IPv4 network. */
    public static final int DEFAULT_PREFIX = 24;
    /** The default time to refuse a network. */
    public static final Duration DEFAULT_TTL = Duration.ofHours(1);

    private static final int V4_BITS = 32;
    private static final int V6_LEAST = 64;
    private static final int V6_BITS = 128;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of range; the message is for the operator
     */
    public NetworkLimit {
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("the number of buckets must be 1.." + MAX_BUCKETS + ", not " + buckets);
        }
        if (prefix < 0 || prefix > V4_BITS) {
            throw new IllegalArgumentException("the network mask must be 0.." + V4_BITS + ", not " + prefix);
        }
        if (ttl.toMillis() <= 0) {
            throw new IllegalArgumentException("the bucket time to live must be more than 0, not " + ttl);
        }
    }

    /** Returns a limit of networks with Rspamd's defaults. */
    public static NetworkLimit of(RateLimit limit) {
        return new NetworkLimit(limit, Networks.NONE, DEFAULT_BUCKETS, DEFAULT_PREFIX, DEFAULT_TTL);
    }

    /** Returns a copy with other exempt networks. */
    public NetworkLimit withExempt(Networks networks) {
        return new NetworkLimit(limit, networks, buckets, prefix, ttl);
    }

    /** Returns the prefix length of a network in 128-bit addresses, with IPv4 addresses in mapped form. */
    public int bits(boolean v4) {
        return v4 ? V6_BITS - V4_BITS + prefix : Math.min(Math.max(4 * prefix, V6_LEAST), V6_BITS);
    }
}
