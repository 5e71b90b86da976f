package dev.weir.storage.index;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Memory outside the heap, which the collector neither copies nor counts twice: pieces are taken and never given back
 * before the whole object is unreachable, so that a reader may look at any piece at any time.
 *
 * <p>On Linux it is mapped, so that only what was written costs memory, and pieces that are going to be filled ask for
 * huge pages: random reads of gigabytes in pages of 4 KiB spend as much time on finding the page as on reading it.
 * Elsewhere it comes from the JDK, in ordinary pages.
 *
 * <p>Addresses are plain numbers. Whoever uses one makes sure that it lies in a piece that was taken, and that this
 * object stays reachable ({@link java.lang.ref.Reference#reachabilityFence}).
 *
 * <p>Only for the writer, but for the static readers and writers of memory.
 */
final class OffHeap {
    /** Pieces are multiples of this, and aligned to it. */
    static final long PIECE = Pages.HUGE;

    /** What is asked of the system at once; costs nothing until it is written. */
    private static final long EXTENT = 256 << 20;

    /** Dense memory that is present before it is taken. */
    private static final long AHEAD = 16 << 20;

    private static final long PAGE = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    private static final MemorySegment ALL = everything();

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    /** As many zeros as the largest chunk of a {@link Region} has, to read instead of what is not there. */
    static final long NOWHERE = Pages.map(3 * PIECE).address();

    private final Held held = new Held();
    private final Extent sparse = new Extent();
    private final Extent dense = new Extent();

    /** Up to where dense memory is present. */
    private long present;

    /** Up to where it is when {@link #order} is done. */
    private long ordered;
    private CompletableFuture<Void> order = CompletableFuture.completedFuture(null);

    OffHeap() {
        // The index belongs to nobody who would close it, as it belonged to the heap before.
        CLEANER.register(this, held);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /** A range of which the beginning was taken. */
    private static final class Extent {
        long next;
        long end;
    }

    /** What has to be given back. */
    private static final class Held implements Runnable {
        private final List<Pages> pages = new ArrayList<>();

        @Override
        public void run() {
            pages.forEach(Pages::release);
        }
    }

    /**
     * Takes zeroed memory that may never be used: it becomes present as it is written.
     *
     * @param size bytes, a multiple of {@link #PIECE}
     */
    long takeSparse(long size) {
        return take(sparse, size);
    }

    /**
     * Takes zeroed memory that is going to be used, in huge pages. To make such a page present takes the system a fraction
     * of a millisecond, and some milliseconds where it has to ask a hypervisor for it; so another thread does that ahead.
     *
     * @param size bytes, a multiple of {@link #PIECE}
     */
    long takeDense(long size) {
        if (dense.end - dense.next < size) {
            order.join();
            map(dense, size);
            Pages.preferHuge(dense.next, dense.end - dense.next);
            // The first piece of a new range is one that nobody could think of before.
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
        return address;
    }

    private void map(Extent extent, long size) {
        Pages pages = Pages.map(Math.max(Pages.isLazy() ? EXTENT : PIECE, size));
        held.pages.add(pages);
        extent.next = pages.address();
        extent.end = pages.address() + pages.size();
    }

    /** Writes to every page without changing what somebody else may be writing. */
    private void makePresent(long from, long to) {
        try {
            for (long at = from; at < to; at += PAGE) {
                var _ = (int) INT.getAndAdd(ALL, at, 0);
            }
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Asks for huge pages where memory that was taken as sparse is used densely after all. */
    static void preferHuge(long address, long size) {
        Pages.preferHuge(address, size);
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

    /** The memory as a buffer, for files. */
    static ByteBuffer buffer(long address, int bytes) {
        return ALL.asSlice(address, bytes).asByteBuffer();
    }

    static void clear(long address, long bytes) {
        for (long at = address; at < address + bytes; at += Long.BYTES) {
            putLong(at, 0);
        }
    }
}
