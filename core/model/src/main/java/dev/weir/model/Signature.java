package dev.weir.model;

import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The 32 min-hash values of a text, in slot order, and a mask of the known slots. That of the structure of HTML may
 * have {@link HtmlSides}.
 *
 * <p>A signature from the network knows all its slots. A signature from a file of Rspamd may know only some of them: in
 * these files, a later hash takes over the slots that it shares with an earlier one
 * (docs/reference/storage.md#updates-in-sqlite).
 */
public final class Signature {
    /** Number of slots in a signature. */
    public static final int SLOTS = 32;

    /** The mask of a signature that knows every slot. */
    public static final int ALL_SLOTS = -1;

    private final long[] values;
    private final int mask;
    private final @Nullable HtmlSides sides;

    private Signature(long[] values, int mask, @Nullable HtmlSides sides) {
        this.values = values;
        this.mask = mask;
        this.sides = sides;
    }

    /** Copies 32 known values. */
    public static Signature of(long[] source, int offset) {
        return partial(source, offset, ALL_SLOTS);
    }

    /** Copies 32 values. The value in slot i is known if bit i of {@code mask} is set. */
    public static Signature partial(long[] source, int offset, int mask) {
        return new Signature(Arrays.copyOfRange(source, offset, offset + SLOTS), mask, null);
    }

    /** Returns the same signature with other side hashes, or without any. */
    public Signature withSides(@Nullable HtmlSides others) {
        return new Signature(values, mask, others);
    }

    /** Returns the side hashes of the structure of HTML, or null. */
    public @Nullable HtmlSides sides() {
        return sides;
    }

    /**
     * Returns whether this signature replaces a complete one of the same hash, because it brings side hashes.
     *
     * @param there whether the other one has side hashes
     */
    public boolean addsSides(boolean there) {
        return sides != null && !there && mask == ALL_SLOTS;
    }

    /** Returns the unsigned value in slot {@code i} of 0..31; meaningless if the slot is not known. */
    public long value(int i) {
        return values[i];
    }

    /** Returns the mask of known slots: bit i is set if slot i is known. */
    public int mask() {
        return mask;
    }

    /** Returns whether slot {@code i} is known. */
    public boolean has(int i) {
        return ((mask >>> i) & 1) != 0;
    }

    /** Returns how many slots have the same value. */
    public int equalSlots(Signature other) {
        return equalSlots(values, other.values);
    }

    /** Returns how many of the 32 values of two arrays are the same. */
    public static int equalSlots(long[] one, long[] other) {
        int equal = 0;
        for (int i = 0; i < SLOTS; i++) {
            equal += one[i] == other[i] ? 1 : 0;
        }
        return equal;
    }

    /** Copies the 32 values. */
    public void copyTo(long[] target, int offset) {
        System.arraycopy(values, 0, target, offset, SLOTS);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Signature that && mask == that.mask && Arrays.equals(values, that.values)
                && Objects.equals(sides, that.sides);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(values) + mask) + Objects.hashCode(sides);
    }

    @Override
    public String toString() {
        return "Signature[" + Integer.bitCount(mask) + " of 32" + (sides == null ? "]" : ", with side hashes]");
    }
}
