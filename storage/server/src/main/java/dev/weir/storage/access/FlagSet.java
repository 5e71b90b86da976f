package dev.weir.storage.access;

import java.util.Arrays;
import java.util.Collection;
import java.util.stream.IntStream;

/** An immutable set of flags, which are 32-bit numbers. Lookups do not allocate. */
public final class FlagSet {
    /**
     * Flags from 0 up to this limit can come from the network and are stored as bits; others are found by binary
     * search.
     */
    private static final int SMALL = 256;

    private static final FlagSet NONE = new FlagSet(new int[0]);

    private final long[] small = new long[SMALL / Long.SIZE];
    private final int[] large;
    private final int[] all;

    private FlagSet(int[] sorted) {
        this.all = sorted;
        this.large = IntStream.of(sorted).filter(flag -> flag < 0 || flag >= SMALL).toArray();
        IntStream.of(sorted).filter(flag -> flag >= 0 && flag < SMALL)
                .forEach(flag -> small[flag / Long.SIZE] |= 1L << flag);
    }

    /** Returns the empty set. */
    public static FlagSet none() {
        return NONE;
    }

    /** Returns the set of the given flags. */
    public static FlagSet of(int... flags) {
        return flags.length == 0 ? NONE : new FlagSet(IntStream.of(flags).sorted().distinct().toArray());
    }

    /** Returns the set of the given flags. */
    public static FlagSet of(Collection<Integer> flags) {
        return of(flags.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Returns whether the set contains a flag. */
    public boolean contains(int flag) {
        if (flag >= 0 && flag < SMALL) {
            return (small[flag / Long.SIZE] & 1L << flag) != 0;
        }
        return large.length > 0 && Arrays.binarySearch(large, flag) >= 0;
    }

    /** Returns the flags as signed numbers, in ascending order. */
    public IntStream stream() {
        return IntStream.of(all);
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        return all.length == 0;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FlagSet that && Arrays.equals(all, that.all);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(all);
    }

    @Override
    public String toString() {
        return Arrays.toString(all);
    }
}
