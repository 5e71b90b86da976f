package dev.weir.storage.server;

import java.util.Map;

/**
 * A look at a running storage.
 *
 * @param hashes digests that are stored
 * @param revision number of the last batch of updates that is on disk
 * @param queued updates that wait for the disk
 * @param batches batches of updates that were committed since the start
 * @param stored updates that were stored since the start
 * @param failed updates that could not be stored since the start
 * @param expired flags that were removed since the start because of their age
 * @param crowded how often a full posting list of the index had to let another hash go
 * @param counters everything else, counted since the start
 */
public record StorageStats(long hashes, long revision, int queued, long batches, long stored, long failed,
        long expired, long crowded, Map<Counter, Long> counters) {

    /** Copies the map. */
    public StorageStats {
        counters = Map.copyOf(counters);
    }

    /** The value of one counter. */
    public long get(Counter counter) {
        return counters.getOrDefault(counter, 0L);
    }

    /** Datagrams that got no reply because something was wrong with them. */
    public long dropped() {
        return counters.entrySet().stream().filter(entry -> entry.getKey().isDrop()).mapToLong(Map.Entry::getValue)
                .sum();
    }
}
