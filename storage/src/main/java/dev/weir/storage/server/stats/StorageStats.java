package dev.weir.storage.server.stats;

import java.util.Map;

import dev.weir.storage.engine.EngineStats;

/**
 * A snapshot of a running storage's statistics.
 *
 * @param engine the statistics of the engine
 * @param connections the number of open connections over TCP and Unix-domain sockets
 * @param heldBytes the bytes buffered for connections: incomplete frames and unread replies
 * @param counters all counters since the start
 */
public record StorageStats(EngineStats engine, int connections, int heldBytes, Map<Counter, Long> counters) {
    /** Copies the counters. */
    public StorageStats {
        counters = Map.copyOf(counters);
    }

    /** Returns the value of one counter. */
    public long get(Counter counter) {
        return counters.getOrDefault(counter, 0L);
    }

    /** Returns the number of dropped requests. */
    public long dropped() {
        return counters.entrySet().stream().filter(entry -> entry.getKey().isDrop()).mapToLong(Map.Entry::getValue)
                .sum();
    }
}
