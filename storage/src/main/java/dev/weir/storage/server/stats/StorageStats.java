package dev.weir.storage.server.stats;

import java.util.Map;

import dev.weir.storage.engine.EngineStats;

/**
 * A look at a running storage.
 *
 * @param engine what it stores, and what became of updates
 * @param connections open connections, over TCP and Unix-domain sockets
 * @param heldBytes bytes that wait in connections: frames that are not whole, replies that are not read
 * @param counters everything else, counted since the start
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

    /** Datagrams that got no reply because something was wrong with them. */
    public long dropped() {
        return counters.entrySet().stream().filter(entry -> entry.getKey().isDrop()).mapToLong(Map.Entry::getValue)
                .sum();
    }
}
