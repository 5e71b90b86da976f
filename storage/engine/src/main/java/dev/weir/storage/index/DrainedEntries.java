package dev.weir.storage.index;

import java.util.Arrays;

/** The entries that {@link BucketChains#drain} took out of a bucket. */
final class DrainedEntries {
    int[] values = new int[HashBucket.ENTRIES];
    int size;

    /** How many of them, from the first on, were in the bucket or a small block. */
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
