package dev.weir.storage.index;


/**
 * A pool of overflow blocks of one size. A block has entries of 4 bytes, of which unused ones at the end are 0, and the
 * number of the next block or 0. Numbers start at 1.
 */
final class OverflowBlocks {
    private final ChunkedArray array;
    private final int entries;
    private int bound;
    private int free;

    /** Creates a pool whose first block has the number after {@code before}. */
    OverflowBlocks(OffHeapArena memory, int entries, int before) {
        this.array = new ChunkedArray(memory, (entries + 1) * Integer.BYTES);
        this.entries = entries;
        this.bound = before;
        if (before > 0) {
            array.expect(before);
        }
    }

    int entries() {
        return entries;
    }

    /** Returns a number above all numbers that were ever taken. */
    int bound() {
        return bound + 1;
    }

    /**
     * Reserves {@code count} more blocks. Needs no lock.
     *
     * @param last the highest number that a block may have
     * @throws IndexFullException if the numbers run out, or there is no memory for the blocks
     */
    void reserve(long count, int last) {
        if (bound + count > last) {
            throw new IndexFullException("the memory index is full: it has " + bound + " overflow blocks");
        }
        array.reserve(bound + count);
    }

    /** Returns the address of a block, or of zeros for a number that is out of range. */
    long address(int number) {
        return array.address(number - 1L);
    }

    /** Returns the address of the link of the block at {@code block}. */
    long link(long block) {
        return block + (long) entries * Integer.BYTES;
    }

    /** Returns the number of an empty block. */
    int take() {
        if (free == 0) {
            return ++bound;
        }
        int taken = free;
        long link = link(address(taken));
        free = OffHeapArena.getInt(link);
        OffHeapArena.putInt(link, 0);
        return taken;
    }

    void giveBack(int number) {
        long block = address(number);
        for (int i = 0; i < entries; i++) {
            OffHeapArena.putInt(block + (long) i * Integer.BYTES, 0);
        }
        OffHeapArena.putInt(link(block), free);
        free = number;
    }
}
