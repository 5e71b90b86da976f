package dev.weir.storage.server;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** One adder for each {@link Counter}; any thread may count. */
final class Counters {
    /** Filled once and never changed after, so threads may share it; a look-up is an array access. */
    private final EnumMap<Counter, LongAdder> adders = new EnumMap<>(Counter.class);

    Counters() {
        for (Counter counter : Counter.values()) {
            adders.put(counter, new LongAdder());
        }
    }

    void increment(Counter counter) {
        Objects.requireNonNull(adders.get(counter)).increment();
    }

    Map<Counter, Long> snapshot() {
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        adders.forEach((counter, adder) -> values.put(counter, adder.sum()));
        return values;
    }
}
