package dev.weir.storage.queue;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a thread stand back behind all others when processors are scarce. Java's thread priorities do nothing on Linux
 * unless the process belongs to root; the system's own call lowers a thread's priority for everybody.
 */
final class Niceness {
    private static final Logger LOG = LoggerFactory.getLogger(Niceness.class);

    /** About a ninth of the share of an ordinary thread. */
    private static final int BACKGROUND = 10;
    private static final int PRIO_PROCESS = 0;
    private static final int CALLING_THREAD = 0;

    private Niceness() {}

    /** Makes the calling thread one of the background; where that cannot be done, it stays as it is. */
    @SuppressWarnings("restricted")
    static void standBack() {
        if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")) {
            return;
        }
        try {
            Linker linker = Linker.nativeLinker();
            MethodHandle setPriority = linker.downcallHandle(linker.defaultLookup().findOrThrow("setpriority"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT));
            int refused = (int) setPriority.invokeExact(PRIO_PROCESS, CALLING_THREAD, BACKGROUND);
            if (refused != 0) {
                LOG.debug("the system refused to lower the priority of {}", Thread.currentThread().getName());
            }
        } catch (Throwable e) {
            LOG.debug("the priority of {} cannot be lowered", Thread.currentThread().getName(), e);
        }
    }
}
