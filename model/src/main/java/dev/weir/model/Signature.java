package dev.weir.model;

import java.util.Arrays;

/**
 * The 32 min-hash values of a text, in slot order, and which of the 32 slots are known.
 *
 * <p>A signature that arrived by the network knows all its slots. One that was read from a file written by Rspamd may
 * know only some: there a later hash takes a slot away from an earlier one with the same value
 * (docs/reference/storage.md#updates-in-sqlite).
 */
public final class Signature {
    /** Slots of a signature. */
    public static final int SLOTS = 32;

    /** The mask of a signature that knows every slot. */
    public static final int ALL_SLOTS = -1;

    private final long[] values;
    private final int mask;

    private Signature(long[] values, int mask) {
        this.values = values;
        this.mask = mask;
    }

    /** Copies 32 values, all of them known. */
    public static Signature of(long[] source, int offset) {
        return partial(source, offset, ALL_SLOTS);
    }

    /** Copies 32 values of which those are known whose bit is set in {@code mask} (bit i for slot i). */
    public static Signature partial(long[] source, int offset, int mask) {
        return new Signature(Arrays.copyOfRange(source, offset, offset + SLOTS), mask);
    }

    /** The value in slot {@code i} of 0..31, unsigned; meaningless when the slot is not known. */
    public long value(int i) {
        return values[i];
    }

    /** Bit i is set when slot i is known. */
    public int mask() {
        return mask;
    }

    /** Whether slot {@code i} is known. */
    public boolean has(int i) {
        return ((mask >>> i) & 1) != 0;
    }

    /** Copies the 32 values. */
    public void copyTo(long[] target, int offset) {
        System.arraycopy(values, 0, target, offset, SLOTS);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Signature that && mask == that.mask && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(values) + mask;
    }

    @Override
    public String toString() {
        return "Signature[" + Integer.bitCount(mask) + " of 32]";
    }
}
