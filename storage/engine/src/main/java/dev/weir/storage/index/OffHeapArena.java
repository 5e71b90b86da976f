package dev.weir.storage.index;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.weir.os.MappedPages;

/**
 * An arena of memory outside the heap. It never frees a piece before the whole arena is unreachable, so a reader may
 * read any piece at any time.
 *
 * <p>On Linux, the arena maps memory, so only written pages cost memory. It asks for huge pages where a piece is going
 * to be full: random reads in pages of 4 KiB spend as much time on address translation as on reading. On other systems
 * the memory comes from the JDK, in ordinary pages.
 *
 * <p>Addresses are plain numbers. The caller ensures that an address lies in a piece of the arena and that the arena
 * stays reachable ({@link java.lang.ref.Reference#reachabilityFence}).
 *
 * <p>Only the writer may call the instance methods. The static methods that access memory are for all threads.
 */
final class OffHeapArena {
    /** Pieces are multiples of this, and aligned to it. */
    static final long PIECE = MappedPages.HUGE;

    /** The size of one mapping. It costs nothing until it is written. */
    private static final long EXTENT = 256 << 20;

    /** Dense memory that is present ahead of need. */
    private static final long AHEAD = 16 << 20;

    private static final long PAGE = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    private static final MemorySegment ALL = everything();

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    /** Zeros in the size of the largest chunk of a {@link ChunkedArray}, for reads that are out of range. */
    static final long NOWHERE = mapped(3 * PIECE).address();

    private final Held held = new Held();
    private final Extent sparse = new Extent();
    private final Extent dense = new Extent();

    /** The end of the dense memory that is present. */
    private long present;

    /** The end of the dense memory that is present when {@link #order} is done. */
    private long ordered;
    private CompletableFuture<Void> order = CompletableFuture.completedFuture(null);

    /** Bytes of the pieces that were taken. Any thread may read it. */
    private volatile long taken;

    OffHeapArena() {
        // No owner closes an index, so the cleaner frees its memory.
        CLEANER.register(this, held);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** A mapped range with a used beginning. */
    private static final class Extent {
        long next;
        long end;
    }

    /** The mappings to unmap. */
    private static final class Held implements Runnable {
        private final List<MappedPages> pages = new ArrayList<>();

        @Override
        public void run() {
            pages.forEach(MappedPages::release);
        }
    }

    /**
     * Takes zeroed memory that may stay unused. It becomes present when it is written.
     *
     * @param size bytes, a multiple of {@link #PIECE}
     */
    long takeSparse(long size) {
        return take(sparse, size);
    }

    /**
     * Takes zeroed memory in huge pages that is going to be used. The system needs long to make such a page present,
     * above all under a hypervisor, so another thread does that ahead of need.
     *
     * @param size bytes, a multiple of {@link #PIECE}
     */
    long takeDense(long size) {
        if (dense.end - dense.next < size) {
            order.join();
            map(dense, size);
            MappedPages.preferHuge(dense.next, dense.end - dense.next);
            // No thread could prepare the first piece of a new range.
            present = dense.next + size;
            ordered = present;
            makePresent(dense.next, present);
        }
        long address = take(dense, size);
        if (dense.next > present || order.isDone()) {
            order.join();
            present = ordered;
        }
        if (present == ordered && ordered - dense.next < AHEAD / 2) {
            long from = ordered;
            long to = Math.min(dense.end, dense.next + AHEAD);
            ordered = to;
            order = CompletableFuture.runAsync(() -> makePresent(from, to));
        }
        return address;
    }

    private long take(Extent extent, long size) {
        if (extent.end - extent.next < size) {
            map(extent, size);
        }
        long address = extent.next;
        extent.next += size;
        taken(size);
        return address;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Only the writer changes it.
    private void taken(long size) {
        taken += size;
    }

    /** Returns how many bytes were taken. Sparse pieces may occupy less memory. */
    long taken() {
        return taken;
    }

    private static MappedPages mapped(long size) {
        return MappedPages.map(size).orElseThrow(() -> new IndexFullException(
                "the system cannot provide another " + (size >> 20) + " MiB for the memory index"));
    }

    private void map(Extent extent, long size) {
        MappedPages pages = mapped(Math.max(MappedPages.isLazy() ? EXTENT : PIECE, size));
        held.pages.add(pages);
        extent.next = pages.address();
        extent.end = pages.address() + pages.size();
    }

    /** Touches every page atomically, so it does not undo what the writer writes at the same time. */
    private void makePresent(long from, long to) {
        try {
            for (long at = from; at < to; at += PAGE) {
                var _ = (int) INT.getAndAdd(ALL, at, 0);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Asks for huge pages for sparse memory that turned out to be dense. */
    static void preferHuge(long address, long size) {
        MappedPages.preferHuge(address, size);
    }

    static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    static int getShort(long address) {
        return Short.toUnsignedInt(ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address));
    }

    static void putShort(long address, int value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, (short) value);
    }

    static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    static void putLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    static void clear(long address, long bytes) {
        for (long at = address; at < address + bytes; at += Long.BYTES) {
            putLong(at, 0);
        }
    }
}
