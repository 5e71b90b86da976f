package dev.weir.storage.stats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Numbers that one thread changes, at the price of a plain change, and that any thread may look at. */
final class Cells {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;

    Cells(int size) {
        this.values = new long[size];
    }

    int size() {
        return values.length;
    }

    /** For the one thread that counts. */
    void increment(int at) {
        ELEMENT.setOpaque(values, at, values[at] + 1);
    }

    /** For the one thread that counts. */
    void set(int at, long value) {
        ELEMENT.setOpaque(values, at, value);
    }

    long get(int at) {
        return (long) ELEMENT.getOpaque(values, at);
    }
}
