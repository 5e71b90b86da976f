package dev.weir.storage.access;

/**
 * A leaky bucket (docs/reference/storage.md#rate-limits): each request adds 1, and a request that finds {@code burst}
 * or more in it is one too many.
 *
 * @param burst requests at once, more than 0
 * @param rate requests a second that leak out, more than 0
 */
public record RateLimit(double burst, double rate) {
    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if one of them is not a positive finite number
     */
    public RateLimit {
        if (!(burst > 0 && rate > 0 && burst <= Double.MAX_VALUE && rate <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "a rate limit of " + burst + " requests at once and " + rate + " a second: both must be above 0");
        }
    }

    /** What is left of a level after some milliseconds. */
    public double drained(double level, long millis) {
        return Math.max(0, level - rate * (millis / 1000.0));
    }
}
