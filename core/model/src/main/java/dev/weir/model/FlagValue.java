package dev.weir.model;

/**
 * The value of a hash under one flag.
 *
 * @param flag the flag; 0..255 from clients of Rspamd, up to 2147483647 from those of Weir, any 32-bit
 *            number from a file
 * @param value the sum of all weights, 64 bits; may be zero or negative
 * @param time the time of the last change, in seconds since the epoch
 */
public record FlagValue(int flag, long value, long time) {

    /**
     * Returns this value with a weight added. The sum saturates at the ends of 64 bits instead of wrapping around. The
     * time never decreases, even if the clock does.
     */
    public FlagValue plus(long weight, long now) {
        return new FlagValue(flag, add(value, weight), Math.max(time, now));
    }

    /** Returns whether the flag is outside 0..255, so that no client of Rspamd can set it. */
    public boolean isOdd() {
        return isOdd(flag);
    }

    /** Returns whether a flag is outside 0..255. */
    public static boolean isOdd(int flag) {
        return flag < 0 || flag > 255;
    }

    /** Returns whether this value precedes {@code other} among the extra flags: higher value first, then lower flag. */
    public boolean outranks(FlagValue other) {
        return value != other.value ? value > other.value : flag < other.flag;
    }

    /** Returns the saturating sum. The index and the backends both use it. */
    public static long add(long value, long weight) {
        long sum = value + weight;
        if (((value ^ sum) & (weight ^ sum)) < 0) {
            return value < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        return sum;
    }
}
