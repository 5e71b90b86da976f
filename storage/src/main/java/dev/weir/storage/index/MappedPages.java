package dev.weir.storage.index;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A range of zeroed memory from the operating system, aligned to huge pages.
 *
 * <p>It calls {@code mmap}, {@code munmap} and {@code madvise} of Linux (mmap(2), madvise(2)). Where these are not
 * available, the JDK allocates the memory.
 */
final class MappedPages {
    /** Bytes of a huge page. */
    static final long HUGE = 2 << 20;

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final int MADV_HUGEPAGE = 14;
    private static final String NO_MEMORY = "the system has no further %d MiB for the memory index";

    private static final @Nullable Calls CALLS = Calls.link();

    private final long address;
    private final long size;
    private final @Nullable Arena arena;

    private MappedPages(long address, long size, @Nullable Arena arena) {
        this.address = address;
        this.size = size;
        this.arena = arena;
    }

    /** The three functions. */
    private record Calls(MethodHandle map, MethodHandle unmap, MethodHandle advise) {

        @SuppressWarnings("restricted")
        static @Nullable Calls link() {
            boolean linux = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");
            // The constants above and the width of the arguments hold for these architectures.
            boolean known = Set.of("amd64", "x86_64", "aarch64").contains(System.getProperty("os.arch"));
            if (!linux || !known) {
                return null;
            }
            try {
                Linker linker = Linker.nativeLinker();
                var library = linker.defaultLookup();
                return new Calls(
                        linker.downcallHandle(library.findOrThrow("mmap"),
                                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                                        ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG)),
                        linker.downcallHandle(library.findOrThrow("munmap"),
                                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_LONG)),
                        linker.downcallHandle(library.findOrThrow("madvise"),
                                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT)));
            } catch (RuntimeException | LinkageError e) {
                // Not permitted or missing: fall back to the JDK's memory.
                return null;
            }
        }
    }

    /** Returns whether unwritten memory costs nothing. */
    static boolean isLazy() {
        return CALLS != null;
    }

    /**
     * Maps a range.
     *
     * @param size bytes, a multiple of {@link #HUGE}
     * @throws IndexFullException if the system has no room
     */
    static MappedPages map(long size) {
        if (CALLS != null) {
            try {
                // One huge page more than necessary, so that it contains an aligned range.
                long whole = size + HUGE;
                long at = (long) CALLS.map.invokeExact(0L, whole, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1,
                        0L);
                if (at > 0) {
                    long aligned = (at + HUGE - 1) & -HUGE;
                    trim(at, aligned - at);
                    trim(aligned + size, whole - size - (aligned - at));
                    return new MappedPages(aligned, size, null);
                }
                throw new IndexFullException(NO_MEMORY.formatted(size >> 20));
            } catch (Error | IndexFullException e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError("mmap throws nothing", e);
            }
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = arena.allocate(size, HUGE);
            return new MappedPages(segment.address(), size, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new IndexFullException(NO_MEMORY.formatted(size >> 20));
        }
    }

    private static void trim(long at, long length) throws Throwable {
        if (length > 0 && CALLS != null) {
            var _ = (int) CALLS.unmap.invokeExact(at, length);
        }
    }

    long address() {
        return address;
    }

    long size() {
        return size;
    }

    /** Asks for huge pages. A system without them continues with small pages. */
    static void preferHuge(long address, long size) {
        if (CALLS != null) {
            try {
                var _ = (int) CALLS.advise.invokeExact(address, size, MADV_HUGEPAGE);
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError("madvise throws nothing", e);
            }
        }
    }

    /** Unmaps the range. No thread may access it afterwards. */
    void release() {
        if (arena != null) {
            arena.close();
        } else {
            try {
                trim(address, size);
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError("munmap throws nothing", e);
            }
        }
    }
}
