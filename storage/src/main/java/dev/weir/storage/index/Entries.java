package dev.weir.storage.index;

import java.util.Arrays;

/** What was taken out of a line. */
final class Entries {
    int[] values = new int[Line.ENTRIES];
    int size;

    /** How many of them, from the first on, were in the line or a small block. */
    int near;

    void clear() {
        size = 0;
        near = Integer.MAX_VALUE;
    }

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }
}
