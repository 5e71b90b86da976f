package dev.weir.storage.access;

/**
 * The parameters of a leaky bucket (docs/reference/storage.md#rate-limits). Each request adds 1. A request is over the
 * limit if the bucket already holds {@code burst} or more.
 *
 * @param burst the number of requests permitted at once, more than 0
 * @param rate the number of requests that leak out per second, more than 0
 */
public record RateLimit(double burst, double rate) {
    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if a value is not a positive finite number
     */
    public RateLimit {
        if (!(burst > 0 && rate > 0 && burst <= Double.MAX_VALUE && rate <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "burst and rate of a rate limit must be above 0, not " + burst + " and " + rate);
        }
    }

    /** Returns what remains of a level after some milliseconds. */
    public double drained(double level, long millis) {
        return Math.max(0, level - rate * (millis / 1000.0));
    }
}
