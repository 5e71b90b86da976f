package dev.weir.storage.server.stats;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.storage.Trouble;
import dev.weir.storage.engine.EngineStats;
import dev.weir.storage.push.PushNode;
import dev.weir.storage.replication.NodeStatus;
import dev.weir.storage.shared.SharedStats;
import dev.weir.storage.waves.WaveFigures;

/**
 * A snapshot of a running storage's statistics.
 *
 * @param engine the statistics of the engine
 * @param connections the number of open connections over TCP and Unix-domain sockets
 * @param heldBytes the bytes buffered for connections: incomplete frames and unread replies
 * @param counters all counters since the start
 * @param replication the state as a node among several; empty for a storage without others
 * @param push the state in the replication of Rspamd 1.3 to 1.9; empty for a storage outside of it
 * @param shared the state of the sharing through Redis; empty for a storage of its own
 * @param waves the figures of checks without a hit; empty if nothing counts them
 * @param others the conditions beside the engine and the nodes that an operator must fix
 */
public record StorageStats(EngineStats engine, int connections, int heldBytes, Map<Counter, Long> counters,
        Optional<NodeStatus> replication, Optional<PushNode.Status> push, Optional<SharedStats> shared,
        Optional<WaveFigures> waves, List<Trouble> others) {
    /** Copies the counters. */
    public StorageStats {
        others = List.copyOf(others);
        counters = Map.copyOf(counters);
    }

    /** Returns the conditions that an operator must fix, the most important first. */
    public List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>(engine.troubles());
        replication.ifPresent(node -> troubles.addAll(node.troubles()));
        push.ifPresent(node -> troubles.addAll(node.troubles()));
        troubles.addAll(others);
        return troubles;
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
