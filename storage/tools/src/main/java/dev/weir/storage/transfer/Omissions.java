package dev.weir.storage.transfer;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters of omissions. Thread-safe. */
public final class Omissions {
    private final Map<Omission, LongAdder> counts = new EnumMap<>(Omission.class);

    /** Creates counters at 0. */
    public Omissions() {
        for (Omission omission : Omission.values()) {
            counts.put(omission, new LongAdder());
        }
    }

    /** Counts one. */
    public void count(Omission omission) {
        add(omission, 1);
    }

    /** Counts {@code n}. */
    public void add(Omission omission, long n) {
        LongAdder counter = counts.get(omission);
        if (counter != null) {
            counter.add(n);
        }
    }

    /** Returns the counts without zeros. */
    public Map<Omission, Long> snapshot() {
        Map<Omission, Long> result = new EnumMap<>(Omission.class);
        counts.forEach((omission, counter) -> {
            if (counter.sum() != 0) {
                result.put(omission, counter.sum());
            }
        });
        return result;
    }
}
