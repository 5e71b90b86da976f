package dev.weir.storage.transfer;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what is left out. Any thread may count. */
public final class Omissions {
    private final Map<Omission, LongAdder> counts = new EnumMap<>(Omission.class);

    /** Nothing counted yet. */
    public Omissions() {
        for (Omission omission : Omission.values()) {
            counts.put(omission, new LongAdder());
        }
    }

    /** One more. */
    public void count(Omission omission) {
        add(omission, 1);
    }

    /** {@code n} more. */
    public void add(Omission omission, long n) {
        LongAdder counter = counts.get(omission);
        if (counter != null) {
            counter.add(n);
        }
    }

    /** What was counted, without the zeros. */
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
