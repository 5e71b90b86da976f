package dev.weir.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A range of zeroed memory from the operating system, aligned to huge pages.
 *
 * <p>It calls {@code mmap}, {@code munmap} and {@code madvise} of Linux (mmap(2), madvise(2)). Where these are not
 * available, the JDK allocates the memory.
 */
public final class MappedPages {
    /** Bytes of a huge page. */
    public static final long HUGE = 2 << 20;

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final int MADV_HUGEPAGE = 14;

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
            // The constants above and the width of the arguments hold for these architectures.
            if (!Platform.isLinux() || Platform.architecture() == Platform.Architecture.OTHER) {
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
    public static boolean isLazy() {
        return CALLS != null;
    }

    /**
     * Maps a range.
     *
     * @param size bytes, a multiple of {@link #HUGE}
     * @return empty if the system has no room
     */
    public static Optional<MappedPages> map(long size) {
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
                    return Optional.of(new MappedPages(aligned, size, null));
                }
                return Optional.empty();
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError("mmap throws nothing", e);
            }
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment = arena.allocate(size, HUGE);
            return Optional.of(new MappedPages(segment.address(), size, arena));
        } catch (OutOfMemoryError e) {
            arena.close();
            return Optional.empty();
        }
    }

    private static void trim(long at, long length) throws Throwable {
        if (length > 0 && CALLS != null) {
            var _ = (int) CALLS.unmap.invokeExact(at, length);
        }
    }

    /** Returns the address of the first byte. */
    public long address() {
        return address;
    }

    /** Returns the size in bytes. */
    public long size() {
        return size;
    }

    /** Asks for huge pages. A system without them continues with small pages. */
    public static void preferHuge(long address, long size) {
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
    public void release() {
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
