package dev.weir.storage.index;

import java.io.IOException;

/**
 * A pool of blocks of one size: some entries of 4 bytes, of which the unused ones at the end are 0, and the number of
 * another block, or 0. Numbers begin with 1.
 */
final class Blocks {
    private final Region region;
    private final int entries;
    private int bound;
    private int free;

    /** A pool whose first block has the number behind {@code before}. */
    Blocks(OffHeap memory, int entries, int before) {
        this.region = new Region(memory, (entries + 1) * Integer.BYTES);
        this.entries = entries;
        this.bound = before;
        if (before > 0) {
            region.expect(before);
        }
    }

    int entries() {
        return entries;
    }

    /** Above all numbers that were ever taken. */
    int bound() {
        return bound + 1;
    }

    /**
     * Makes room for so many more; needs no lock.
     *
     * @param last the highest number that a block may have
     * @throws IndexFullException if that does not do, or there is no memory for them
     */
    void reserve(long count, int last) {
        if (bound + count > last) {
            throw new IndexFullException("the memory index is full: it has " + bound + " blocks of lists");
        }
        region.reserve(bound + count);
    }

    long bytes() {
        return region.bytes(bound);
    }

    void save(SnapshotWriter out) throws IOException {
        out.number(bound);
        out.number(free);
        region.save(out, bound);
    }

    void restore(SnapshotReader in) throws IOException {
        bound = (int) in.number(0, Integer.MAX_VALUE - 1);
        free = (int) in.number(0, bound);
        region.restore(in, bound);
    }

    /** Where the block begins; zeros for a number that is out of range. */
    long address(int number) {
        return region.address(number - 1L);
    }

    /** Where a block that begins at {@code block} has the number of another one. */
    long link(long block) {
        return block + (long) entries * Integer.BYTES;
    }

    /** Gives an empty block. */
    int take() {
        if (free == 0) {
            return ++bound;
        }
        int taken = free;
        long link = link(address(taken));
        free = OffHeap.getInt(link);
        OffHeap.putInt(link, 0);
        return taken;
    }

    void giveBack(int number) {
        long block = address(number);
        for (int i = 0; i < entries; i++) {
            OffHeap.putInt(block + (long) i * Integer.BYTES, 0);
        }
        OffHeap.putInt(link(block), free);
        free = number;
    }
}
