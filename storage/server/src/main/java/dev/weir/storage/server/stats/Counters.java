package dev.weir.storage.server.stats;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.storage.stats.AnswerTimes;

/** The sums of all tallies. Thread-safe. */
public final class Counters {
    private final List<ThreadCounters> tallies = new CopyOnWriteArrayList<>();

    /** Returns a new tally for one thread. Its counts stay until the storage closes. */
    public ThreadCounters newTally() {
        ThreadCounters tally = new ThreadCounters();
        tallies.add(tally);
        return tally;
    }

    /** Returns the answer times of all receiving threads since the start. */
    public AnswerTimes times() {
        long[] sums = new long[AnswerTimes.CLASSES];
        for (ThreadCounters tally : tallies) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += tally.time(i);
            }
        }
        return AnswerTimes.of(sums);
    }

    public Map<Counter, Long> snapshot() {
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, tallies.stream().mapToLong(tally -> tally.get(counter)).sum());
        }
        return values;
    }
}
