package dev.weir.storage.index;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many slots a near duplicate must share, for each flag. A flag has {@link #USUAL} unless it has its own number.
 * Immutable; lookups neither allocate nor lock.
 *
 * <p>The index finds every hash that shares {@link #USUAL} slots or more, because it then shares both slots of one of
 * the 16 pairs. A hash that shares k slots at random places misses all pairs with the probability C(16, k) 2ᵏ / C(32,
 * k).
 */
public final class FlagThresholds {
    /** The usual number: one more than half of the slots, as in Rspamd. */
    public static final int USUAL = HashIndex.THRESHOLD + 1;

    /** The least number. With fewer, chance matches are likely and the index misses a third. */
    public static final int LEAST = 8;

    /** All flags have the usual number. */
    public static final FlagThresholds NONE = new FlagThresholds(Map.of());

    private final int[] flags;
    private final int[] numbers;
    private final int lowest;

    private FlagThresholds(Map<Integer, Integer> byFlag) {
        TreeMap<Integer, Integer> sorted = new TreeMap<>(byFlag);
        this.flags = sorted.keySet().stream().mapToInt(Integer::intValue).toArray();
        this.numbers = sorted.values().stream().mapToInt(Integer::intValue).toArray();
        this.lowest = Math.min(USUAL, Arrays.stream(numbers).min().orElse(USUAL));
    }

    /**
     * Returns the thresholds of some flags.
     *
     * @param byFlag numbers of slots, {@link #LEAST} to {@link #USUAL}
     * @throws IllegalArgumentException if a number is outside of this range
     */
    public static FlagThresholds of(Map<Integer, Integer> byFlag) {
        byFlag.forEach((flag, number) -> {
            if (number < LEAST || number > USUAL) {
                throw new IllegalArgumentException("the threshold of flag " + Integer.toUnsignedString(flag) + " is "
                        + number + ", expected " + LEAST + " to " + USUAL);
            }
        });
        return byFlag.isEmpty() ? NONE : new FlagThresholds(byFlag);
    }

    /** Returns the least number of any flag. */
    int lowest() {
        return lowest;
    }

    /**
     * Returns the number of slots that a near duplicate with this flag must share.
     *
     * @param others the number for flags without their own
     */
    public int of(int flag, int others) {
        int at = flags.length == 0 ? -1 : Arrays.binarySearch(flags, flag);
        return at < 0 ? others : numbers[at];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlagThresholds that && Arrays.equals(flags, that.flags)
                && Arrays.equals(numbers, that.numbers);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(flags) + Arrays.hashCode(numbers);
    }

    @Override
    public String toString() {
        return Arrays.toString(flags) + "=" + Arrays.toString(numbers);
    }
}
