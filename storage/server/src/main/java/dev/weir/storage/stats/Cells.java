package dev.weir.storage.stats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** An array of numbers that one thread updates at the cost of plain writes and any thread may read. */
final class Cells {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;

    Cells(int size) {
        this.values = new long[size];
    }

    int size() {
        return values.length;
    }

    /** Only for the counting thread. */
    void increment(int at) {
        ELEMENT.setOpaque(values, at, values[at] + 1);
    }

    /** Only for the counting thread. */
    void set(int at, long value) {
        ELEMENT.setOpaque(values, at, value);
    }

    long get(int at) {
        return (long) ELEMENT.getOpaque(values, at);
    }
}
