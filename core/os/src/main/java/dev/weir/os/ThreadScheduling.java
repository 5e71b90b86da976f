package dev.weir.os;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The priority and the scheduling policy of the calling thread on Linux.
 *
 * <p>Java's thread priorities have an effect there only in a process of root; the system calls need no privilege. On
 * other systems, where the system refuses, and without {@code --enable-native-access}, nothing changes.
 */
@SuppressWarnings("restricted")
public final class ThreadScheduling {
    /** Without native access, a call would print a warning into the output of a program that embeds Weir. */
    private static final boolean AVAILABLE = Platform.isLinux()
            && ThreadScheduling.class.getModule().isNativeAccessEnabled();

    private static final int CALLING_THREAD = 0;
    /** About a ninth of the share of an ordinary thread. */
    private static final int BACKGROUND = 10;
    /** About a seventieth. */
    private static final int IDLE_TIME = 19;
    private static final int PRIO_PROCESS = 0;
    private static final int SCHED_OTHER = 0;
    private static final int SCHED_BATCH = 3;

    private ThreadScheduling() {}

    /**
     * Lowers the priority of the calling thread below that of all ordinary threads ({@code setpriority(2)}).
     *
     * @return whether the system did so
     */
    public static boolean runInBackground() {
        return lower(BACKGROUND);
    }

    /**
     * As {@link #runInBackground}, with hardly any time while the other threads need all processors. This suits a
     * thread that may fall behind.
     *
     * @return whether the system did so
     */
    public static boolean runInIdleTime() {
        return lower(IDLE_TIME);
    }

    private static boolean lower(int nice) {
        if (!AVAILABLE) {
            return false;
        }
        try {
            return (int) Calls.SETPRIORITY.invokeExact(PRIO_PROCESS, CALLING_THREAD, nice) == 0;
        } catch (Throwable unavailable) {
            return false;
        }
    }

    /**
     * Selects {@code SCHED_BATCH} of {@code sched(7)} for the calling thread and the threads that it starts: a wake-up
     * interrupts no running thread, but the share of the processor stays the same. This suits a thread that wakes often
     * and then processes everything that has arrived.
     *
     * @return whether the system did so
     */
    public static boolean useBatchPolicy() {
        return schedule(SCHED_BATCH);
    }

    /**
     * Selects the default policy for the calling thread again.
     *
     * @return whether the system did so
     */
    public static boolean useDefaultPolicy() {
        return schedule(SCHED_OTHER);
    }

    private static boolean schedule(int policy) {
        if (!AVAILABLE) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            // The parameter is a priority, which must be 0 for these policies.
            return (int) Calls.SCHED_SETSCHEDULER.invokeExact(CALLING_THREAD, policy,
                    arena.allocate(ValueLayout.JAVA_INT)) == 0;
        } catch (Throwable unavailable) {
            return false;
        }
    }

    /** The system calls, linked at the first use because linking requires {@link #AVAILABLE}. */
    private static final class Calls {
        static final MethodHandle SETPRIORITY = call("setpriority", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT);
        static final MethodHandle SCHED_SETSCHEDULER = call("sched_setscheduler", ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS);

        private static MethodHandle call(String name, MemoryLayout... arguments) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
        }
    }
}
