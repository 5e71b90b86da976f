package dev.weir.storage.access.gate;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.Network;
import dev.weir.model.Networks;
import org.jspecify.annotations.Nullable;

/**
 * The networks that a script has blocked at run time, permanently or until a given time
 * (docs/reference/storage.md#dynamic-blocks). Thread-safe. Lookups take a lock only when a block ends.
 */
public final class DynamicBlocks {
    /** The most blocks. A script that adds more is probably broken. */
    static final int MOST = 10_000;

    private final Map<Network, Block> blocks = new HashMap<>();
    private volatile Networks networks = Networks.NONE;
    private volatile long nextEnd = Long.MAX_VALUE;

    private record Block(long endMillis, int code) {}

    /** Creates an empty set of blocks. */
    public DynamicBlocks() {}

    /**
     * Blocks a network. Replaces an earlier block of the same network.
     *
     * @param end the end of the block, or null for as long as the storage runs
     * @param code the error code for clients over connections
     * @return null, or the reason for a failure
     */
    public synchronized @Nullable String block(Network network, @Nullable Instant end, int code) {
        if (blocks.size() >= MOST && !blocks.containsKey(network)) {
            return "the limit of " + MOST + " dynamic blocks is reached";
        }
        blocks.put(network, new Block(end == null ? Long.MAX_VALUE : end.toEpochMilli(), code));
        publish();
        return null;
    }

    /** Ends a block. Returns whether there was one. */
    synchronized boolean unblock(Network network) {
        boolean there = blocks.remove(network) != null;
        if (there) {
            publish();
        }
        return there;
    }

    /** Returns all blocks. */
    synchronized List<Gate.Refused> list() {
        return blocks.entrySet().stream()
                .map(entry -> new Gate.Refused(entry.getKey(), entry.getValue().endMillis(), "blocked by a script"))
                .toList();
    }

    /** Returns whether a source is blocked now. */
    public boolean contains(Source source, long nowMillis) {
        if (nowMillis >= nextEnd) {
            forget(nowMillis);
        }
        return !networks.isEmpty() && source.isIn(networks);
    }

    /** Returns the error code for a blocked source. The narrowest network that contains it decides. */
    synchronized int code(Source source) {
        int code = 0;
        int narrowest = -1;
        for (Map.Entry<Network, Block> entry : blocks.entrySet()) {
            Network network = entry.getKey();
            if (network.prefix() > narrowest && network.contains(source.high(), source.low())) {
                narrowest = network.prefix();
                code = entry.getValue().code();
            }
        }
        return code;
    }

    private synchronized void forget(long nowMillis) {
        blocks.values().removeIf(block -> block.endMillis() <= nowMillis);
        publish();
    }

    private void publish() {
        networks = Networks.perFamily(blocks.keySet());
        nextEnd = blocks.values().stream().mapToLong(Block::endMillis).min().orElse(Long.MAX_VALUE);
    }
}
