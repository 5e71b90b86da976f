package dev.weir.storage.index;

import org.jspecify.annotations.Nullable;

/**
 * A pool of overflow blocks of one size. A block has entries of 4 bytes, of which unused ones at the end are 0, and the
 * number of the next block or 0. Numbers start at 1.
 */
final class OverflowBlocks {
    /** Blocks that a share takes together. */
    private static final int SHARED_AT_ONCE = 256;

    private final ChunkedArray array;
    private final int entries;
    private int bound;
    private int free;

    /** The pool that this one is a share of, the highest number that a block may have, and the last block taken. */
    private final @Nullable OverflowBlocks whole;
    private final int most;
    private int end;

    /** Creates a pool whose first block has the number after {@code before}. */
    OverflowBlocks(OffHeapArena memory, int entries, int before) {
        this.array = new ChunkedArray(memory, (entries + 1) * Integer.BYTES);
        this.entries = entries;
        this.bound = before;
        this.whole = null;
        this.most = 0;
        if (before > 0) {
            array.expect(before);
        }
    }

    private OverflowBlocks(OverflowBlocks whole, int most) {
        this.array = whole.array;
        this.entries = whole.entries;
        this.whole = whole;
        this.most = most;
    }

    /**
     * Returns a pool for another thread that takes its blocks from this one, several at once. In between, nothing but
     * such pools may use this one.
     *
     * @param last the highest number that a block may have
     */
    OverflowBlocks share(int last) {
        return new OverflowBlocks(this, last);
    }

    /** Gives the blocks that were not used back to the whole. Then this share must not be used any more. */
    void giveBackShare() {
        if (whole != null) {
            // The lowest number is used first.
            for (int number = end; number > bound; number--) {
                whole.giveBack(number);
            }
            end = bound;
        }
    }

    /**
     * Takes blocks for a share.
     *
     * @return the number before the first of them
     * @throws IndexFullException if the numbers run out, or there is no memory for the blocks
     */
    private synchronized int takeSome(int last) {
        int count = Math.clamp((long) last - bound, 1, SHARED_AT_ONCE);
        synchronized (array.memory()) {
            reserve(count, last);
        }
        bound += count;
        return bound - count;
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

    /**
     * Returns the number of an empty block.
     *
     * @throws IndexFullException if this is a share, and there is no further block
     */
    int take() {
        if (free == 0) {
            if (whole != null && bound == end) {
                bound = whole.takeSome(most);
                end = Math.min(bound + SHARED_AT_ONCE, most);
            }
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
