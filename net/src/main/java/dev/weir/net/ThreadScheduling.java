package dev.weir.net;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * How Linux lets the calling thread run where processors are scarce. Java's thread priorities do nothing there unless
 * the
 * process belongs to root; the system's own calls need no privilege. Elsewhere, where the system refuses, and where
 * Java was not told {@code --enable-native-access}, the thread stays as it is.
 */
@SuppressWarnings("restricted")
public final class ThreadScheduling {
    /** A program that uses Weir as a library may not let it call the system: it would be warned of that. */
    private static final boolean AVAILABLE = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")
            && ThreadScheduling.class.getModule().isNativeAccessEnabled();

    private static final int CALLING_THREAD = 0;
    /** About a ninth of the share of an ordinary thread. */
    private static final int BACKGROUND = 10;
    private static final int PRIO_PROCESS = 0;
    private static final int SCHED_OTHER = 0;
    private static final int SCHED_BATCH = 3;

    private ThreadScheduling() {}

    /**
     * Makes the calling thread one of the background: it stands back behind all others ({@code setpriority(2)}).
     *
     * @return whether it does
     */
    public static boolean standBack() {
        if (!AVAILABLE) {
            return false;
        }
        try {
            return (int) Calls.SETPRIORITY.invokeExact(PRIO_PROCESS, CALLING_THREAD, BACKGROUND) == 0;
        } catch (Throwable unavailable) {
            return false;
        }
    }

    /**
     * Has the calling thread wait its turn: what wakes it interrupts no other thread, but its share of the processors
     * is that
     * of all ({@code SCHED_BATCH} of {@code sched(7)}). For a thread that is woken for every little thing and then
     * finds
     * all that has come meanwhile. Threads that it starts are the same.
     *
     * @return whether it does
     */
    public static boolean waitTurn() {
        return schedule(SCHED_BATCH);
    }

    /**
     * Makes the calling thread an ordinary one again after {@link #waitTurn}.
     *
     * @return whether it is
     */
    public static boolean takeTurn() {
        return schedule(SCHED_OTHER);
    }

    private static boolean schedule(int policy) {
        if (!AVAILABLE) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            // The parameter is a priority, which has to be 0.
            return (int) Calls.SCHED_SETSCHEDULER.invokeExact(CALLING_THREAD, policy,
                    arena.allocate(ValueLayout.JAVA_INT)) == 0;
        } catch (Throwable unavailable) {
            return false;
        }
    }

    /** Linked at the first use, which {@link #AVAILABLE} allows, and once: a thread may change its mind many times. */
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
