package dev.weir.storage.index;

import java.util.Arrays;

/**
 * Records of one length outside the heap, numbered from 0, in chunks so that growing copies nothing.
 *
 * <p>One writer makes room; readers may ask for any number at any time and get zeros for one that is out of range.
 */
final class Region {
    /** The longest record: what {@link OffHeap#NOWHERE} stands in for. */
    private static final int LONGEST = 128;

    private final OffHeap memory;
    private final int stride;
    private final int shift;
    private final int inChunk;

    /** Where the chunks begin. */
    private volatile long[] chunks = {};

    /**
     * Room for nothing yet.
     *
     * @param stride bytes of a record, 4..128
     */
    Region(OffHeap memory, int stride) {
        if (stride > LONGEST) {
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
        return (long) chunks.length << shift;
    }

    /**
     * Makes room for the record {@code number}, at most one chunk at a time; needs no lock.
     *
     * @return whether there is room now
     */
    boolean grow(long number) {
        long[] now = chunks;
        if (number >>> shift < now.length) {
            return true;
        }
        long size = (long) stride << shift;
        // The first chunk may stay nearly empty; when a second one is needed, it is full.
        if (now.length == 1) {
            memory.preferHuge(now[0], size);
        }
        long[] more = Arrays.copyOf(now, now.length + 1);
        more[now.length] = memory.take(size, now.length > 0);
        chunks = more;
        return number >>> shift < more.length;
    }

    /** Makes room for the record {@code number}, however much that takes. */
    void reserve(long number) {
        while (!grow(number)) {
            // One chunk after the other.
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
        long chunk = number >>> shift;
        // Unsigned: a negative number is out of range as well.
        return Long.compareUnsigned(chunk, all.length) < 0
                ? all[(int) chunk] + (number & inChunk) * stride
                : OffHeap.NOWHERE;
    }
}
