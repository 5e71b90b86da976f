package dev.weir.storage.index;

/** The buckets that a lookup probes, one for each hash. {@link PostingTable} fills them in and reads them. */
final class BucketProbes {
    final long[] addresses;
    final int[] tags;
    final int[] idBits;

    /**
     * The value that {@link #idBits} has for all probes of the last {@link PostingTable#locate}, or 0 if they differ.
     */
    int commonIdBits;

    /** Overflow blocks that were read since a caller last set this to 0. */
    int blocksRead;

    BucketProbes(int count) {
        this.addresses = new long[count];
        this.tags = new int[count];
        this.idBits = new int[count];
    }

    /** Prefetches buckets. The reads are independent, so the processor fetches the buckets at the same time. */
    long touch(int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += OffHeapArena.getLong(addresses[i]);
        }
        return sum;
    }
}
