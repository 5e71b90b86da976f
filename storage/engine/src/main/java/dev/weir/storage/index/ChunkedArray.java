package dev.weir.storage.index;

import java.util.Arrays;

/**
 * A growable array of elements of one length outside the heap. It consists of chunks, so growing copies no element.
 *
 * <p>One writer makes room. Readers may ask for any number at any time. For a number that is out of range they get the
 * address of zeros or of another element, but always of existing memory.
 */
final class ChunkedArray {
    private static final int LONGEST = 128;

    private final OffHeapArena memory;
    private final int stride;
    private final int shift;
    private final int inChunk;

    /** Addresses of the chunks. The length is a power of two; unused places are {@link OffHeapArena#NOWHERE}. */
    private volatile long[] chunks = {OffHeapArena.NOWHERE};

    // Only for the writer.
    private int count;

    /**
     * Creates an empty array.
     *
     * @param stride bytes of an element, 4..128: a power of two or three times one, so a chunk is at most three pieces
     */
    ChunkedArray(OffHeapArena memory, int stride) {
        if (stride > LONGEST || stride > 3 * Integer.lowestOneBit(stride)) {
            throw new IllegalArgumentException("elements of " + stride + " bytes");
        }
        this.memory = memory;
        this.stride = stride;
        // The smallest power of two of elements that fills whole huge pages.
        this.shift = Long.numberOfTrailingZeros(OffHeapArena.PIECE) - Integer.numberOfTrailingZeros(stride);
        this.inChunk = (1 << shift) - 1;
    }

    /** Returns the arena, which one thread at a time may use to make room. */
    OffHeapArena memory() {
        return memory;
    }

    /** Returns the number of elements for which there is room. */
    long capacity() {
        return (long) count << shift;
    }

    /**
     * Makes room for element {@code number}, but adds at most one chunk. Needs no lock.
     *
     * @return whether there is room now
     */
    boolean grow(long number) {
        if (number >>> shift < count) {
            return true;
        }
        // The first chunk may stay nearly empty. It is full when the array needs a second one.
        add(count > 0);
        return number >>> shift < count;
    }

    private void add(boolean filled) {
        long[] now = chunks;
        long size = (long) stride << shift;
        long[] more = count == now.length ? Arrays.copyOf(now, 2 * count) : now.clone();
        Arrays.fill(more, count, more.length, OffHeapArena.NOWHERE);
        more[count] = filled ? memory.takeDense(size) : memory.takeSparse(size);
        if (count == 1) {
            OffHeapArena.preferHuge(more[0], size);
        }
        if (count > 0 && !filled) {
            OffHeapArena.preferHuge(more[count], size);
        }
        count++;
        chunks = more;
    }

    /** Makes room for element {@code number} with as many chunks as necessary. */
    void reserve(long number) {
        while (!grow(number)) {
            // Each call adds one chunk.
        }
    }

    /** Makes room for elements up to {@code number}. It costs no memory until they are written. */
    void expect(long number) {
        while (number >>> shift >= count) {
            add(false);
        }
    }

    /** Returns the address of an element. */
    long address(long number) {
        return address(chunks, number);
    }

    /** Returns the chunks for {@link #address(long[], long)}, so that a loop reads the field only once. */
    long[] chunks() {
        return chunks;
    }

    /** Returns the address of an element that lies in one of these chunks. */
    long address(long[] all, long number) {
        // The mask keeps the number in range and costs less than a range check.
        return all[(int) (number >>> shift) & (all.length - 1)] + (number & inChunk) * stride;
    }
}
