package dev.weir.storage.access.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Short exclusive rights to parts of a table: taken for some tens of nanoseconds, in which nothing is allocated and
 * nothing waits. A thread that does not get one because its holder was put to sleep by the system gives up soon, so
 * that one sleeping thread never stops the others; it then goes on as if there were nothing to do.
 */
final class Guards {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

    /** Attempts, some microseconds of them. */
    private static final int PATIENCE = 1_000;

    private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

    private final int[] taken;

    Guards(int parts) {
        this.taken = new int[parts];
    }

    boolean take(int part) {
        for (int i = 0; i < PATIENCE; i++) {
            if ((int) ELEMENT.getOpaque(taken, part) == 0 && ELEMENT.compareAndSet(taken, part, 0, 1)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** For threads with time, which are not those that answer. */
    void await(int part) {
        while (!take(part)) {
            // Its holder was put to sleep: give it a processor.
            LockSupport.parkNanos(PAUSE);
        }
    }

    void giveBack(int part) {
        ELEMENT.setRelease(taken, part, 0);
    }
}
