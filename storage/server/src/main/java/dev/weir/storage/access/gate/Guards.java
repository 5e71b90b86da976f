package dev.weir.storage.access.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Spin locks for the parts of a table, held for very short sections that neither allocate nor block. If the system
 * suspends a holder, other threads soon give up and continue as if there were nothing to do, so a suspended thread
 * never blocks them.
 */
final class Guards {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(int[].class);

    /** The number of attempts, which last a few microseconds in total. */
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

    /** Waits for a part. Not for request threads. */
    void await(int part) {
        while (!take(part)) {
            // The holder is suspended: yield the processor to it.
            LockSupport.parkNanos(PAUSE);
        }
    }

    void release(int part) {
        ELEMENT.setRelease(taken, part, 0);
    }
}
