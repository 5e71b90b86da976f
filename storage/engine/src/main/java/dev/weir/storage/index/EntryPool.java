package dev.weir.storage.index;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.os.MappedPages;

/**
 * Entries that wait for their buckets, divided among the parts of a table. Several threads put entries, each through
 * its own lane. When all have finished, any thread takes the entries of one part together, so that it works on a piece
 * of the table that fits into a cache.
 *
 * <p>An entry has the number of a bucket above the 32 bits that the bucket gets. Memory is outside the heap, in chunks;
 * the chunks of a lane and a part form a chain.
 */
final class EntryPool implements AutoCloseable {
    private static final int CHUNK_ENTRIES = 512;
    private static final long CHUNK_BYTES = (long) CHUNK_ENTRIES * Long.BYTES;

    private static final int NONE = -1;

    private final int parts;
    private final MappedPages pages;
    private final AtomicInteger taken = new AtomicInteger();

    /** The chunk before each chunk in its chain. */
    private final int[] previous;
    private final Lane[] lanes;

    /** A receiver of entries that lie one after another. */
    @FunctionalInterface
    interface Target {
        void take(long address, int count);
    }

    /**
     * Creates an empty pool.
     *
     * @param lanes threads that put entries
     * @param most entries that can wait
     * @throws IndexFullException if there is no memory for them
     */
    EntryPool(int parts, int lanes, long most) {
        this.parts = parts;
        // Each chain may end with a chunk that is not full.
        long chunks = most / CHUNK_ENTRIES + (long) lanes * parts;
        long bytes = (chunks * CHUNK_BYTES + MappedPages.HUGE - 1) & -MappedPages.HUGE;
        this.pages = MappedPages.map(bytes).orElseThrow(() -> new IndexFullException(
                "the system cannot provide another " + (bytes >> 20) + " MiB to sort the hashes"));
        if (bytes > MappedPages.HUGE) {
            MappedPages.preferHuge(pages.address(), bytes);
        }
        this.previous = new int[Math.toIntExact(chunks)];
        this.lanes = new Lane[lanes];
        for (int i = 0; i < lanes; i++) {
            this.lanes[i] = new Lane();
        }
    }

    /** Where one thread puts entries. */
    final class Lane {
        /** The address behind the last entry of each part; a multiple of the size of a chunk if there is no room. */
        private final long[] ends = new long[parts];
        private final int[] last = new int[parts];

        private Lane() {
            clear();
        }

        private void clear() {
            Arrays.fill(ends, pages.address());
            Arrays.fill(last, NONE);
        }

        /** Puts an entry. */
        void put(int part, long entry) {
            long at = ends[part];
            if ((at & (CHUNK_BYTES - 1)) == 0) {
                at = another(part);
            }
            OffHeapArena.putLong(at, entry);
            ends[part] = at + Long.BYTES;
        }

        private long another(int part) {
            int chunk = taken.getAndIncrement();
            previous[chunk] = last[part];
            last[part] = chunk;
            return address(chunk);
        }
    }

    private long address(int chunk) {
        return pages.address() + chunk * CHUNK_BYTES;
    }

    Lane lane(int number) {
        return lanes[number];
    }

    /** Passes on the entries of a part. */
    void take(int part, Target target) {
        for (Lane lane : lanes) {
            int chunk = lane.last[part];
            if (chunk == NONE) {
                continue;
            }
            target.take(address(chunk), (int) ((lane.ends[part] - address(chunk)) / Long.BYTES));
            for (chunk = previous[chunk]; chunk != NONE; chunk = previous[chunk]) {
                target.take(address(chunk), CHUNK_ENTRIES);
            }
        }
    }

    /** Forgets all entries. */
    void clear() {
        for (Lane lane : lanes) {
            lane.clear();
        }
        taken.set(0);
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        pages.release();
    }
}
