package dev.weir.storage.transfer;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts what is left out. Any thread may count. */
public final class Omissions {
    private final AtomicLongArray counts = new AtomicLongArray(Omission.values().length);

    /** One more. */
    public void count(Omission omission) {
        add(omission, 1);
    }

    /** {@code n} more. */
    public void add(Omission omission, long n) {
        counts.addAndGet(omission.ordinal(), n);
    }

    /** What was counted, without the zeros. */
    public Map<Omission, Long> snapshot() {
        Map<Omission, Long> result = new EnumMap<>(Omission.class);
        for (Omission omission : Omission.values()) {
            long n = counts.get(omission.ordinal());
            if (n != 0) {
                result.put(omission, n);
            }
        }
        return result;
    }
}
