package dev.weir.model;

/**
 * What one list says about a digest.
 *
 * @param flag the list; 0..255 from the network, any 32-bit number from a file
 * @param value the summed votes, 64 bits, may be zero or negative
 * @param time seconds since the epoch of the last change
 */
public record FlagValue(int flag, long value, long time) {

    /**
     * This value after a vote: sums saturate at the ends of 64 bits rather than wrap around, and the time never goes
     * back, whatever the clock does.
     */
    public FlagValue plus(long weight, long now) {
        return new FlagValue(flag, add(value, weight), Math.max(time, now));
    }

    /** Whether the flag is one that no client can give, which are 0..255. */
    public boolean isOdd() {
        return flag < 0 || flag > 255;
    }

    /** Whether this one goes before {@code other} where both are not the primary one: higher value, then lower flag. */
    public boolean outranks(FlagValue other) {
        return value != other.value ? value > other.value : flag < other.flag;
    }

    /** The saturating sum that index and backends share. */
    public static long add(long value, long weight) {
        long sum = value + weight;
        if (((value ^ sum) & (weight ^ sum)) < 0) {
            return value < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return sum;
    }
}
