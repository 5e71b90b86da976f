package dev.weir.storage.index;

import java.io.IOException;
import java.util.Arrays;

/**
 * Records of one length outside the heap, numbered from 0, in chunks so that growing copies nothing.
 *
 * <p>One writer makes room; readers may ask for any number at any time: for one that is out of range they get the address
 * of zeros or of another record, but always of memory that is there.
 */
final class Region {
    private static final int LONGEST = 128;

    private final OffHeap memory;
    private final int stride;
    private final int shift;
    private final int inChunk;

    /** Where the chunks begin: a power of two of places, those without a chunk lead {@link OffHeap#NOWHERE}. */
    private volatile long[] chunks = {OffHeap.NOWHERE};

    // Only for the writer.
    private int count;

    /**
     * Room for nothing yet.
     *
     * @param stride bytes of a record, 4..128: a power of two or three times one, so that a chunk is at most three pieces
     */
    Region(OffHeap memory, int stride) {
        if (stride > LONGEST || stride > 3 * Integer.lowestOneBit(stride)) {
            throw new IllegalArgumentException("records of " + stride + " bytes");
        }
        this.memory = memory;
        this.stride = stride;
        // The smallest power of two of records that fills whole huge pages.
        this.shift = Long.numberOfTrailingZeros(OffHeap.PIECE) - Integer.numberOfTrailingZeros(stride);
        this.inChunk = (1 << shift) - 1;
    }

    /** Records for which there is room. */
    long capacity() {
        return (long) count << shift;
    }

    /**
     * Makes room for the record {@code number}, at most one chunk at a time; needs no lock.
     *
     * @return whether there is room now
     */
    boolean grow(long number) {
        if (number >>> shift < count) {
            return true;
        }
        // The first chunk may stay nearly empty; when a second one is needed, it is full.
        add(count > 0);
        return number >>> shift < count;
    }

    private void add(boolean filled) {
        long[] now = chunks;
        long size = (long) stride << shift;
        long[] more = count == now.length ? Arrays.copyOf(now, 2 * count) : now.clone();
        Arrays.fill(more, count, more.length, OffHeap.NOWHERE);
        more[count] = filled ? memory.takeDense(size) : memory.takeSparse(size);
        if (count == 1) {
            OffHeap.preferHuge(more[0], size);
        }
        if (count > 0 && !filled) {
            OffHeap.preferHuge(more[count], size);
        }
        count++;
        chunks = more;
    }

    /** Makes room for the record {@code number}, however much that takes. */
    void reserve(long number) {
        while (!grow(number)) {
            // One chunk after the other.
        }
    }

    /** Makes room for records up to {@code number} that may never be written, and costs no memory until they are. */
    void expect(long number) {
        while (number >>> shift >= count) {
            add(false);
        }
    }

    /** Bytes of so many records. */
    long bytes(long records) {
        return records * stride;
    }

    /** Writes the records below {@code bound}. */
    void save(SnapshotWriter out, long bound) throws IOException {
        out.number(stride);
        out.number(bound);
        for (long from = 0; from < bound; from += inChunk + 1) {
            out.memory(address(from), bytes(Math.min(inChunk + 1, bound - from)));
        }
    }

    /**
     * Fills an empty region.
     *
     * @param bound as it was when it was saved
     * @throws IOException if the file has other records, or fewer
     */
    void restore(SnapshotReader in, long bound) throws IOException {
        in.number(stride, stride);
        in.number(bound, bound);
        if (bytes(bound) > in.remaining()) {
            throw new IOException("the file ends too early");
        }
        if (bound > 0) {
            reserve(bound - 1);
        }
        for (long from = 0; from < bound; from += inChunk + 1) {
            in.memory(address(from), bytes(Math.min(inChunk + 1, bound - from)));
        }
    }

    /** Where the record begins. */
    long address(long number) {
        return address(chunks, number);
    }

    /** What {@link #address(long[], long)} needs, for a loop that asks often. */
    long[] chunks() {
        return chunks;
    }

    /** Where the record begins, if it lies in one of these chunks. */
    long address(long[] all, long number) {
        // The mask costs less than asking whether the number is in range, and does as well.
        return all[(int) (number >>> shift) & (all.length - 1)] + (number & inChunk) * stride;
    }
}
