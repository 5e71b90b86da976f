package dev.weir.storage.access;

import java.util.Arrays;
import java.util.Collection;
import java.util.stream.IntStream;

/** A set of flags, any 32-bit numbers. Immutable; asking makes no objects. */
public final class FlagSet {
    /** Flags below this one can come from the network; they are bits, the others are searched for. */
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

    /** Returns a set of flags. */
    public static FlagSet of(int... flags) {
        return flags.length == 0 ? NONE : new FlagSet(IntStream.of(flags).sorted().distinct().toArray());
    }

    /** Returns a set of flags. */
    public static FlagSet of(Collection<Integer> flags) {
        return of(flags.stream().mapToInt(Integer::intValue).toArray());
    }

    /** Returns whether a flag is in the set. */
    public boolean contains(int flag) {
        if (flag >= 0 && flag < SMALL) {
            return (small[flag / Long.SIZE] & 1L << flag) != 0;
        }
        return large.length > 0 && Arrays.binarySearch(large, flag) >= 0;
    }

    /** Returns whether there is no flag in the set. */
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
