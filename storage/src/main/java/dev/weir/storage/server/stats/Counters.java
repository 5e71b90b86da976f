package dev.weir.storage.server.stats;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The sums of all tallies. Any thread may ask. */
public final class Counters {
    private final List<Tally> tallies = new CopyOnWriteArrayList<>();

    /** Returns a tally for one thread, which counts for as long as the storage lives. */
    public Tally newTally() {
        Tally tally = new Tally();
        tallies.add(tally);
        return tally;
    }

    public Map<Counter, Long> snapshot() {
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, tallies.stream().mapToLong(tally -> tally.get(counter)).sum());
        }
        return values;
    }
}
