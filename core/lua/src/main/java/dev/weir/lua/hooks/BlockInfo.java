package dev.weir.lua.hooks;

/**
 * The state of the rate limit that refused a client.
 *
 * @param level tokens in the bucket
 * @param permanent whether the client is refused until its bucket expires
 * @param maximumBurst configured burst, in requests
 * @param maximumRate configured rate, in requests per second
 * @param exceededBy tokens over the burst
 * @param lastSeen seconds since 1970
 */
public record BlockInfo(double level, boolean permanent, double maximumBurst, double maximumRate, double exceededBy,
        double lastSeen) {}
