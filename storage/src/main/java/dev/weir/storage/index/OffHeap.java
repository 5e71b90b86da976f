package dev.weir.storage.index;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;

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
    private static final long EXTENT = 64 << 20;

    private static final long PAGE = 4096;

    private static final Cleaner CLEANER = Cleaner.create();

    private static final MemorySegment ALL = everything();

    /** As many zeros as the largest chunk of a {@link Region} has, to read instead of what is not there. */
    static final long NOWHERE = Pages.map(3 * PIECE).address();

    private final Held held = new Held();
    private long next;
    private long end;

    OffHeap() {
        // The index belongs to nobody who would close it, as it belonged to the heap before.
        CLEANER.register(this, held);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment everything() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
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
     * Takes zeroed memory, aligned to {@link #PIECE}.
     *
     * @param size bytes, a multiple of {@link #PIECE}
     * @param filled whether all of it is going to be used: then it is made present at once, rather than later under a
     *            lock
     */
    long take(long size, boolean filled) {
        if (end - next < size) {
            Pages pages = Pages.map(Math.max(EXTENT, size));
            held.pages.add(pages);
            next = pages.address();
            end = next + pages.size();
        }
        long address = next;
        next += size;
        if (filled) {
            preferHuge(address, size);
            for (long at = address; at < address + size; at += PAGE) {
                putInt(at, 0);
            }
        }
        return address;
    }

    /** Asks for huge pages where the memory is used densely. */
    void preferHuge(long address, long size) {
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

    static void clear(long address, long bytes) {
        for (long at = address; at < address + bytes; at += Long.BYTES) {
            putLong(at, 0);
        }
    }
}
