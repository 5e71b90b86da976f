package dev.weir.storage.server.stats;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import dev.weir.storage.stats.AnswerTimes;

/**
 * The counters and answer times of one thread. Only that thread increments them, with plain additions; any thread may
 * read.
 */
// Ordinals index an in-memory array; nothing else depends on the order of the counters.
@SuppressWarnings("EnumOrdinal")
public final class ThreadCounters {
    private static final VarHandle ELEMENT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[Counter.values().length];
    private final long[] times = new long[AnswerTimes.CLASSES];

    public void increment(Counter counter) {
        add(counter, 1);
    }

    public void add(Counter counter, int count) {
        int at = counter.ordinal();
        ELEMENT.setOpaque(values, at, values[at] + count);
    }

    /** Counts requests of one batch that were answered in a time. */
    public void answered(int count, long nanos) {
        int at = AnswerTimes.classOf(nanos);
        ELEMENT.setOpaque(times, at, times[at] + count);
    }

    long time(int at) {
        return (long) ELEMENT.getOpaque(times, at);
    }

    long get(Counter counter) {
        return (long) ELEMENT.getOpaque(values, counter.ordinal());
    }
}
