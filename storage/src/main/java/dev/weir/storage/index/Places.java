package dev.weir.storage.index;

/** Where the entries of some hashes are: filled in and used by {@link ListTable}. */
final class Places {
    final long[] lines;
    final int[] tags;
    final int[] idBits;

    /** What is in {@link #idBits} at all places of the last {@link ListTable#locate}, or 0 if it differs. */
    int commonIdBits;

    /** Blocks that were read beside the lines, since somebody set it to 0. */
    int blocks;

    Places(int count) {
        this.lines = new long[count];
        this.tags = new int[count];
        this.idBits = new int[count];
    }

    /** Reads from lines, one independent of the other, so that the processor fetches them at the same time. */
    long touch(int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += OffHeap.getLong(lines[i]);
        }
        return sum;
    }
}
