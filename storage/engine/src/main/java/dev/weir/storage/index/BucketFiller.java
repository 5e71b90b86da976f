package dev.weir.storage.index;

/**
 * A filler of the buckets of a table that does not grow and has no readers yet. Several threads fill different parts of
 * the table at the same time, each with its own filler; the table takes over what they counted with
 * {@link PostingTable#complete}.
 */
final class BucketFiller {
    private final PostingTable table;
    private final ChunkedArray array;
    private final BucketMapping mapping;
    private final int partShift;
    private final BucketChains chains;
    private final boolean bounded;

    /** The entries of each bucket of the part. */
    private final byte[] used;

    /** As in {@link PostingTable}: entries in the buckets and in small blocks, and replaced ids. */
    private long near;
    private long displaced;

    /** Creates a filler whose overflow blocks come from a share of those of the table. */
    BucketFiller(PostingTable table, ChunkedArray array, BucketMapping mapping, BucketChains chains, int partShift,
            boolean bounded) {
        this.table = table;
        this.array = array;
        this.mapping = mapping;
        this.chains = chains;
        this.partShift = partShift;
        this.bounded = bounded;
        this.used = new byte[1 << partShift];
    }

    /** Moves the entries of a part from the pool to the table. */
    void fill(EntryPool pool, int part) {
        long first = (long) part << partShift;
        // A part does not cross the border of two chunks.
        long start = array.address(first);
        int buckets = (int) Math.min(used.length, mapping.buckets - first);
        for (int i = 0; i < buckets; i++) {
            used[i] = (byte) HashBucket.used(start + (long) i * HashBucket.BYTES);
        }
        pool.take(part, (at, count) -> add(first, start, at, count));
    }

    private void add(long first, long start, long from, int count) {
        for (long at = from; at < from + (long) count * Long.BYTES; at += Long.BYTES) {
            long entry = OffHeapArena.getLong(at);
            int i = (int) ((entry >>> Integer.SIZE) - first);
            long bucket = start + (long) i * HashBucket.BYTES;
            int taken = used[i];
            if (taken < HashBucket.ENTRIES) {
                HashBucket.append(bucket, taken, (int) entry);
                used[i] = (byte) (taken + 1);
                near++;
            } else {
                addToFull(first + i, bucket, (int) entry);
            }
        }
    }

    private void addToFull(long number, long bucket, int value) {
        if (bounded && chains.isCrowded(bucket, mapping.idBits())) {
            int choice = PostingTable.choice(mapping.hash(number, value), mapping.id(value));
            if (PostingTable.replaceInFull(chains, mapping, bucket, value, choice)) {
                displaced++;
                return;
            }
        }
        if (!chains.add(bucket, value, mapping.idBits())) {
            near++;
        }
    }

    /** Gives the table what is left of the share, and the counts. */
    void complete() {
        chains.giveBackShare();
        table.complete(near, displaced);
    }
}
